import { crc32, deflateSync } from 'node:zlib'

const SIZE = 240

/** A bar of a chart: its color as red, green, blue, and its height in pixels. */
export interface Bar {
  color: readonly [number, number, number]
  height: number
}

/** A PNG of a chart with these bars on white, without any text. */
export function barChart(bars: readonly Bar[]): Buffer {
  const width = SIZE / bars.length
  const rows = Array.from({ length: SIZE }, (_, y) => {
    const pixels = Array.from({ length: SIZE }, (_, x) => {
      const bar = bars[Math.floor(x / width)]!
      const isGap = x % width < width * 0.15 || x % width > width * 0.85
      return isGap || SIZE - y > bar.height ? [255, 255, 255] : bar.color
    })
    return Buffer.from([0, ...pixels.flat()])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
