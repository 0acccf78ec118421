/** A message between a worker process and its parent: a value as JSON, and optional bytes. */
export interface WorkerFrame {
  value: unknown
  data?: Uint8Array
}

const HEAD_BYTES = 8
const NO_DATA = 0xffffffff

/** Serializes a frame for a pipe. */
export function encodeFrame({ value, data }: WorkerFrame): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(json.length, 0)
  head.writeUInt32LE(data?.length ?? NO_DATA, 4)
  return data === undefined ? [head, json] : [head, json, data]
}

/** Assembles one frame from the chunks of a pipe. */
export class FrameReader {
  private readonly chunks: Buffer[] = []
  private received = 0
  private awaited = HEAD_BYTES

  /** The frame, once it is complete. */
  add(chunk: Buffer): WorkerFrame | undefined {
    this.chunks.push(chunk)
    this.received += chunk.length
    if (this.received < this.awaited) return undefined
    const whole = Buffer.concat(this.chunks.splice(0))
    this.chunks.push(whole)
    const [json, data] = [whole.readUInt32LE(0), whole.readUInt32LE(4)]
    const end = HEAD_BYTES + json
    this.awaited = end + (data === NO_DATA ? 0 : data)
    if (this.received < this.awaited) return undefined
    const value: unknown = JSON.parse(whole.toString('utf8', HEAD_BYTES, end))
    return data === NO_DATA ? { value } : { value, data: whole.subarray(end, this.awaited) }
  }
}
