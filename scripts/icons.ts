/**
 * Draws every icon of the product from one SVG: `node scripts/icons.ts [folder]`. macOS gets an .icns with the margin
 * of its icons, Windows an .ico, Linux one PNG per size, and the tray a template (black on transparent, for macOS) and
 * a color picture.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Png2Icons from 'png2icons'
import sharp from 'sharp'

// Its type declarations support only CommonJS.
const png2icons = createRequire(import.meta.url)('png2icons') as typeof Png2Icons

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'src', 'renderer', 'public', 'icon.svg')
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024]
/** macOS icons fill 824 of 1024 points; the rest is margin for the shadow. */
const MAC_SHARE = 824 / 1024

/** The lines of the icon without its background, in black: macOS colors a template itself. */
export function templateSvg(svg: string): string {
  return svg.replace(/<rect [^>]*\/>/, '').replace(/stroke="#[0-9a-f]{6}"/, 'stroke="#000000"')
}

async function png(svg: string, size: number, share = 1): Promise<Buffer> {
  const inner = Math.round(size * share)
  const before = Math.floor((size - inner) / 2)
  const after = size - inner - before
  const margin = { top: before, bottom: after, left: before, right: after, background: '#00000000' }
  // Matches the density to the size of the picture: otherwise an SVG of 32 units is drawn at 72 dots per inch.
  return sharp(Buffer.from(svg), { density: (72 * inner) / 32 })
    .resize(inner, inner)
    .extend(margin)
    .png({ compressionLevel: 9, adaptiveFiltering: false })
    .toBuffer()
}

/** Writes all icons below `folder`. */
export async function drawIcons(folder: string): Promise<void> {
  const svg = readFileSync(SOURCE, 'utf8')
  const put = (path: string[], content: Buffer): void => {
    mkdirSync(join(folder, ...path.slice(0, -1)), { recursive: true })
    writeFileSync(join(folder, ...path), content)
  }
  const large = await png(svg, 1024)
  put(['icon.icns'], required(png2icons.createICNS(await png(svg, 1024, MAC_SHARE), png2icons.BICUBIC, 0)))
  put(['icon.ico'], required(png2icons.createICO(large, png2icons.BICUBIC, 0, true, true)))
  for (const size of LINUX_SIZES) put(['linux', `${size}x${size}.png`], await png(svg, size))
  for (const [suffix, size] of [
    ['', 16],
    ['@2x', 32],
    ['@3x', 48],
  ] as const) {
    put(['tray', `trayTemplate${suffix}.png`], await png(templateSvg(svg), size))
    put(['tray', `tray${suffix}.png`], await png(svg, size))
  }
  put(['tray', 'tray.ico'], required(png2icons.createICO(await png(svg, 256), png2icons.BICUBIC, 0, false, true)))
}

function required(icon: Buffer | null): Buffer {
  if (icon === null) throw new Error('An icon could not be drawn.')
  return icon
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(ROOT, 'out', 'icons')
  const last = join(folder, 'tray', 'tray.ico')
  // Drawing takes seconds, and the picture rarely changes.
  const isFresh =
    existsSync(last) && [SOURCE, import.meta.filename].every((file) => statSync(file).mtimeMs < statSync(last).mtimeMs)
  if (!isFresh) await drawIcons(folder)
}
