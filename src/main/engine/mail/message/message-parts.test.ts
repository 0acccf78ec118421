import type { MessageStructureObject } from 'imapflow'
import { describe, expect, test } from 'vitest'
import { decodeText, messageParts, type TextPart } from './message-parts'

const leaf = (part: string, type: string, more: Partial<MessageStructureObject> = {}): MessageStructureObject => ({
  part,
  type,
  size: 100,
  ...more,
})
const many = (type: string, ...childNodes: MessageStructureObject[]): MessageStructureObject => ({ type, childNodes })
const textsOf = (structure: MessageStructureObject): string[] => messageParts(structure).texts.map(({ part }) => part)

describe('the parts of a message', () => {
  test('use the plain text of alternatives, or the HTML if the plain text is only a stub', () => {
    const [plain, html] = [leaf('1', 'text/plain'), leaf('2', 'text/html')]
    expect(textsOf(many('multipart/alternative', plain, html))).toEqual(['1'])
    expect(textsOf(many('multipart/alternative', plain, { ...html, size: 5_000 }))).toEqual(['2'])
    expect(textsOf(many('multipart/alternative', { ...plain, size: 2 }, html))).toEqual(['2'])
    expect(textsOf(many('multipart/alternative', html))).toEqual(['2'])
  })

  test('include the attachments of all alternatives, numbered in order', () => {
    const { texts, attachments } = messageParts(
      many(
        'multipart/mixed',
        leaf('1', 'application/pdf', { dispositionParameters: { FILENAME: 'a.pdf' }, disposition: 'attachment' }),
        many(
          'multipart/alternative',
          leaf('2.1', 'text/plain'),
          many('multipart/related', leaf('2.2.1', 'text/html'), leaf('2.2.2', 'image/png', { id: '<x>' })),
        ),
        leaf('3', 'text/plain', { disposition: 'ATTACHMENT' }),
      ),
    )
    expect(texts.map(({ part }) => part)).toEqual(['2.1'])
    expect(attachments.map(({ number, part, name, inline }) => [number, part, name, inline])).toEqual([
      [1, '1', 'a.pdf', false],
      [2, '2.2.2', 'image-1.png', true],
      [3, '3', 'text-3', false],
    ])
  })

  test('of an attached message are listed, and its text is marked with its subject', () => {
    const inner = leaf('2.1', 'text/plain')
    const { texts, attachments } = messageParts(
      many('multipart/mixed', leaf('1', 'text/plain'), {
        ...leaf('2', 'message/rfc822'),
        envelope: { subject: 'Re: a/b' },
        childNodes: [inner],
      }),
    )
    expect(texts.map(({ part, within }) => [part, within])).toEqual([
      ['1', undefined],
      ['2.1', 'Re: a/b'],
    ])
    expect(attachments[0]!.name).toBe('Re_ a_b.eml')
  })

  test('that cannot be read have a note with the reason', () => {
    const notesOf = (type: string): string => messageParts(leaf('1', type)).notes.join()
    expect(notesOf('application/pkcs7-mime')).toContain('encrypted (S/MIME)')
    expect(notesOf('application/pgp-signature')).toContain('was not checked')
    expect(notesOf('application/ms-tnef')).toContain('winmail.dat')
  })

  test('of a hostile message are limited, without an error', () => {
    let nested = leaf('1', 'text/plain')
    for (let depth = 0; depth < 60; depth += 1) nested = many('multipart/mixed', nested)
    expect(messageParts(nested)).toMatchObject({ texts: [], notes: ['Parts that are nested too deeply are left out.'] })
    const files = (count: number) =>
      messageParts(many('multipart/mixed', ...Array.from({ length: count }, (_, at) => leaf(`${at}`, 'image/png'))))
    expect(files(101)).toMatchObject({ notes: ['1 more attachment is not listed.'] })
    expect(files(103)).toMatchObject({ notes: ['3 more attachments are not listed.'] })
    expect(files(103).attachments).toHaveLength(100)
    expect(messageParts(undefined)).toEqual({ texts: [], attachments: [], notes: [] })
  })
})

describe('the text of a part', () => {
  const part: TextPart = {
    part: '1',
    subtype: 'plain',
    encoding: '8bit',
    charset: undefined,
    flowed: false,
    delSp: false,
    bytes: 1,
  }

  test.each([
    ['utf-8', Buffer.from('Größe 世界'), 'Größe 世界'],
    ['iso-8859-1', Buffer.from('Größe', 'latin1'), 'Größe'],
    ['us-ascii', Buffer.from('Größe'), 'Größe'],
    ['utf-8', Buffer.from('Größe', 'latin1'), 'Größe'],
    ['no-such-charset', Buffer.from('Größe'), 'Größe'],
    [undefined, Buffer.from([0x80]), '€'],
    ['"\r\nX-Evil: 1', Buffer.from('text'), 'text'],
  ])('with the character set %j is read as its sender intended', async (charset, bytes, text) => {
    expect((await decodeText({ ...part, charset }, bytes)).trim()).toBe(text)
  })

  test('is decoded, and flowed lines are joined', async () => {
    expect(
      (await decodeText({ ...part, encoding: 'quoted-printable' }, Buffer.from('Gr=C3=B6=\r\n=C3=9Fe'))).trim(),
    ).toBe('Größe')
    expect((await decodeText({ ...part, encoding: 'base64' }, Buffer.from('R3LDtsOfZQ=='))).trim()).toBe('Größe')
    expect((await decodeText({ ...part, flowed: true }, Buffer.from('one \r\ntwo\r\n'))).trim()).toBe('one two')
  })
})
