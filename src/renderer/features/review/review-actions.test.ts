import { afterEach, describe, expect, it } from 'vitest'
import type { ReviewFile } from '../../../shared/model/session/review'
import { useReturnedMessage } from '../../state/session/restore-state'
import type { TrestleClient } from '../../../shared/contract'
import { askAbout, changeIn, linesOfChange, sendComments } from './review-actions'
import { ReviewStore } from './review-store'
import type { ShownDiff } from './diff/review-rows'

const FILE = { path: '/work/app/a.md', name: 'a.md', key: 'k1' } as ReviewFile

/** A hunk that starts at line 10 of both sides, with one change from the second line on. */
function diffOf(lines: readonly string[], count = lines.length - 1): ShownDiff {
  return {
    path: FILE.path,
    key: FILE.key,
    notes: [],
    newLines: 100,
    hunks: [{ old: 10, new: 10, lines: [...lines], changes: [{ id: 'c1', at: 1, count }] }],
  } as unknown as ShownDiff
}

afterEach(() => useReturnedMessage.setState({ message: undefined }))

function asked(diff: ShownDiff, change = 'c1'): string | undefined {
  askAbout('s1', FILE, diff, change)
  const [part] = useReturnedMessage.getState().message?.parts ?? []
  return part?.type === 'text' ? part.text : undefined
}

describe('asking about a change', () => {
  it('quotes its lines with their location', () => {
    expect(asked(diffOf([' same', '-old', '+new']))).toBe('About a.md:11:\n\n```diff\n-old\n+new\n```\n\n')
  })

  it('keeps code fences in the changed lines inside the quote', () => {
    expect(asked(diffOf([' same', '+```ts', '+x', '+```']))).toBe(
      'About a.md:11:\n\n````diff\n+```ts\n+x\n+```\n````\n\n',
    )
  })

  it('says how much of a long change is not quoted', () => {
    const lines = Array.from({ length: 75 }, (_, n) => `+line ${n}`)
    const text = asked(diffOf([' same', ...lines]))
    expect(text).toContain('+line 59\n```')
    expect(text).not.toContain('+line 60')
    expect(text).toContain('(15 more lines)')
  })

  it('adds nothing to the composer for a change that no longer exists', () => {
    expect(asked(diffOf([' same', '+x']), 'gone')).toBeUndefined()
    expect(changeIn(diffOf([' same', '+x']), 'gone')).toBeUndefined()
  })
})

describe('the lines a comment on a change is on', () => {
  it('are the added ones', () => {
    expect(linesOfChange(diffOf([' same', '-a', '-b', '+c', '+d', '+e']), 'c1')).toEqual({
      side: 'new',
      line: 11,
      endLine: 13,
    })
  })

  it('are the removed ones when nothing was added', () => {
    expect(linesOfChange(diffOf([' same', '-a', '-b']), 'c1')).toEqual({ side: 'old', line: 11, endLine: 12 })
  })
})

it('sending comments ends even if the connection is lost', async () => {
  const lost = () => Promise.reject(new Error('The connection was lost.'))
  const client = { review: { send: lost, marks: lost } } as unknown as TrestleClient
  const review = new ReviewStore(client, 's1', { kind: 'session' })
  await expect(sendComments(client, review)).resolves.toBeUndefined()
})
