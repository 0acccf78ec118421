import { describe, expect, it } from 'vitest'
import { makePdf } from '../../../../../test/support/pdf'
import { rejection } from '../../../../../test/support/required'
import { isPdf, PdfProblem, readPdf } from './read-pdf'

/** A busy machine can take longer than a user would wait. */
const PATIENT = { limitMs: 120_000 }

describe('readPdf', () => {
  it('reads the text page by page', async () => {
    expect(await readPdf(makePdf(['Hello (world)', 'Second page']), PATIENT)).toEqual({
      pages: 2,
      last: 2,
      text: '[Page 1 of 2]\nHello (world)\n\n[Page 2 of 2]\nSecond page',
      isCut: false,
    })
  })

  it('reads a range of pages, which can extend beyond the end', async () => {
    const pdf = makePdf(['a', 'b', 'c', 'd'])
    expect(await readPdf(pdf, { ...PATIENT, pages: { first: 2, last: 3 } })).toMatchObject({
      last: 3,
      text: '[Page 2 of 4]\nb\n\n[Page 3 of 4]\nc',
    })
    expect(await readPdf(pdf, { ...PATIENT, pages: { first: 4, last: 9 } })).toMatchObject({ last: 4, isCut: false })
    await expect(readPdf(pdf, { ...PATIENT, pages: { first: 5, last: 5 } })).rejects.toThrow(
      'has only 4 pages, so there is no page 5',
    )
  })

  it('stops at the maximum number of characters, and reports the last page it read', async () => {
    const read = await readPdf(makePdf(['x'.repeat(80), 'y', 'z']), { ...PATIENT, maxChars: 60 })
    expect(read).toMatchObject({ pages: 3, last: 1, isCut: true })
    expect(read.text).toHaveLength(60)
  })

  it.each([
    ['an encrypted one', makePdf(['secret'], { encrypted: true }), 'is encrypted and needs a password'],
    ['one cut in the middle of nothing', Buffer.from('%PDF-1.4\nand no more'), 'is damaged, or is no PDF'],
    ['one larger than 32 MiB', Buffer.concat([makePdf(['a']), Buffer.alloc(33 * 1024 * 1024)]), 'at most 32 MiB'],
  ])('says why it cannot read %s', async (_what, pdf, reason) => {
    const problem = await rejection(readPdf(pdf, PATIENT))
    expect(problem).toBeInstanceOf(PdfProblem)
    expect((problem as Error).message).toContain(reason)
  })

  it('gives up on a file that takes too long', async () => {
    // Half a million pieces of text on one page.
    const content = Buffer.from(`BT /F1 1 Tf ${'1 0 Td (abcdefgh) Tj\n'.repeat(500_000)} ET`)
    await expect(readPdf(makePdf(['a'], { content }), { limitMs: 50 })).rejects.toThrow('took longer than 0.05 s')
  })

  it('gives up on a file that unpacks to too much memory', async () => {
    const content = Buffer.alloc(200 * 1024 * 1024, ' ')
    const reading = readPdf(makePdf(['a'], { content }), { ...PATIENT, mostGrowthBytes: 150 * 1024 * 1024 })
    await expect(reading).rejects.toThrow('needs too much memory')
  })

  it('stops when its signal aborts', async () => {
    const stop = new AbortController()
    const reading = readPdf(makePdf(['a']), { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })
})

it('isPdf recognizes a PDF by its header, also after other bytes', () => {
  expect(isPdf(makePdf(['a']))).toBe(true)
  expect(isPdf(Buffer.concat([Buffer.from('\n\n'), makePdf(['a'])]))).toBe(true)
  expect(isPdf(Buffer.from('a text about %PD'))).toBe(false)
})
