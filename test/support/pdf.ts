import { deflateSync } from 'node:zlib'

export interface PdfOptions {
  /** Marked as encrypted, with an unknown password. */
  encrypted?: boolean
  /** Replaces the content of the first page, packed with zlib. */
  content?: Buffer
}

/** A small PDF with one line of text on each page. */
export function makePdf(pages: readonly string[], { encrypted = false, content }: PdfOptions = {}): Buffer {
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ]
  pages.forEach((text, index) => {
    const packed = index === 0 && content ? deflateSync(content, { level: 1 }) : undefined
    const stream = packed ?? Buffer.from(`BT /F1 24 Tf 72 700 Td (${text.replaceAll(/[()\\]/g, '\\$&')}) Tj ET`)
    objects.push(
      Buffer.from(
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources ' +
          `<< /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${stream.length}${packed ? ' /Filter /FlateDecode' : ''} >>\nstream\n`),
        stream,
        Buffer.from('\nendstream'),
      ]),
    )
  })
  if (encrypted)
    objects.push(Buffer.from(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`))
  // Bytes above 127 in the second line, as most writers add, mark it as binary.
  const chunks: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  let size = chunks[0]!.length
  const offsets = objects.map((object, index) => {
    const at = size
    const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    chunks.push(chunk)
    size += chunk.length
    return at
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const encryption = encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<${'33'.repeat(16)}> <${'33'.repeat(16)}>]` : ''
  chunks.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n` +
        `<< /Size ${objects.length + 1} /Root 1 0 R${encryption} >>\nstartxref\n${size}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(chunks)
}
