import { describe, expect, test } from 'vitest'
import { fillPlaceholders, readSkill } from './read-skill'

const skill = (front: string, body = 'Do it.') => readSkill(`---\n${front}\n---\n\n${body}\n`, 'tidy')

describe('reading a SKILL.md', () => {
  test('reads all known fields', async () => {
    const { head, problems } = await skill(
      'name: tidy\ndescription: Tidies "things" – all of them\nwhenToUse: often\n' +
        'arguments: [what, how]\ndisableModelInvocation: true\ntype: prompt\nlicense: MIT',
    )
    expect(problems).toEqual([])
    expect(head).toEqual({
      name: 'tidy',
      description: 'Tidies "things" – all of them',
      whenToUse: 'often',
      type: 'prompt',
      modelInvocation: false,
      arguments: ['what', 'how'],
    })
  })

  test('front matter that expands to too much text affects only this skill', async () => {
    let front = 'a: &a [x, x, x, x, x, x, x, x, x, x]'
    for (const [at, name] of 'bcdefghi'.split('').entries())
      front += `\n${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[at]}`).join(', ')}]`
    const { head, problems } = await skill(front)
    expect(head).toBeUndefined()
    expect(problems).toMatchObject([{ isFatal: true, line: 2, message: expect.stringContaining('cannot be read') }])
  })

  test('front matter with thousands of keys takes little time, and ten unknown keys are named', async () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `k${index}: v`)
    const { head, problems } = await skill(`name: tidy\ndescription: x\n${keys.join('\n')}`)
    expect(head).toMatchObject({ name: 'tidy' })
    expect(problems.map(({ line }) => line)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(problems.at(-1)!.message).toBe('2990 more keys are unknown and ignored.')
    const longer = Array.from({ length: 10_000 }, (_, index) => `k${index}: v`)
    expect(await skill(`name: tidy\ndescription: x\n${longer.join('\n')}`)).toEqual({
      problems: [{ line: 2, isFatal: true, message: 'Its front matter is longer than 32 KB.' }],
    })
  })

  test('does not cut a long description within a character', async () => {
    const { head } = await skill(`name: tidy\ndescription: ${'👋'.repeat(2_000)}`)
    const odd = await skill(`name: tidy\ndescription: x${'👋'.repeat(2_000)}`)
    expect([head!.description.isWellFormed(), odd.head!.description.isWellFormed()]).toEqual([true, true])
  })

  test.each([
    ['no front matter', '# Tidy'],
    ['front matter without end', '---\nname: tidy\ndescription: x'],
  ])('%s is reported with its line', async (_, text) => {
    expect(await readSkill(text, 'tidy')).toMatchObject({ problems: [{ line: 1, isFatal: true }] })
  })

  test.each([
    ['broken YAML', 'name: tidy\ndescription: "x', 3],
    ['YAML with a tab', 'name: tidy\n\tdescription: x', 3],
    ['a list', '- name', 2],
    ['no name', 'description: x', 2],
    ['a name with capitals', 'description: x\nname: Tidy', 3],
    ['a name with two hyphens', 'name: ti--dy\ndescription: x', 2],
    ['a long name', `name: ${'a'.repeat(65)}\ndescription: x`, 2],
    ['a name that is a number', 'name: 7\ndescription: x', 2],
    ['no description', 'name: tidy', 2],
    ['an unknown type', 'name: tidy\ndescription: x\ntype: magic', 4],
  ])('%s leaves the skill out and names the line', async (_, front, line) => {
    const { head, problems } = await skill(front)
    expect(head).toBeUndefined()
    expect(problems).toMatchObject([{ line, isFatal: true }])
  })

  test.each([
    ['another folder name', 'name: neat\ndescription: x', 2],
    ['an unknown key', 'name: tidy\ndescription: x\ncolour: red', 4],
    ['allowed-tools, which is ignored', 'name: tidy\ndescription: x\nallowed-tools: Bash', 4],
    ['too long a description', `name: tidy\ndescription: ${'x'.repeat(1100)}`, 3],
  ])('%s is reported, and the skill is used', async (_, front, line) => {
    const { head, problems } = await skill(front)
    expect(head?.description.length).toBeLessThanOrEqual(1024)
    expect(problems).toMatchObject([{ line, isFatal: false }])
  })

  test('plain front matter is read like YAML', async () => {
    const fronts = [
      'name: tidy\ndescription: Tidies it: all of it',
      'name: tidy\ndescription: See http://x.org/a now',
      'name: tidy\ndescription: yes',
      'name: tidy\ndescription: TRUE',
      'name: tidy\ndescription: x # no comment\ntype: prompt',
      "name: tidy\ndescription: it's fine, really\ndisableModelInvocation: true",
      'name: tidy\ndescription: x\nname: other',
      'name: tidy\ndescription: folded\n  over lines',
      'name: tidy\ndescription: null',
      'name: tidy\ndescription: a\\nb - c & d * e ! f % g @ h ` i | j > k',
      'name: tidy\ndescription: ends with a colon:',
      'name: tidy\ndescription: two  blanks   inside ',
    ]
    for (const front of fronts) {
      const plain = await skill(front)
      // A comment has no effect in YAML, but is not plain front matter.
      expect({ front, head: plain.head }).toEqual({ front, head: (await skill(`${front}\n# read as YAML`)).head })
    }
  })

  test('Windows line endings and a byte order mark are accepted', async () => {
    expect(
      (await readSkill('\uFEFF---\r\nname: tidy\r\ndescription: x\r\n---\r\nDo it.\r\n', 'tidy')).problems,
    ).toEqual([])
  })
})

describe('placeholders', () => {
  const fill = (body: string, args: string, names: string[] = []) =>
    fillPlaceholders(body, { args, names, dir: '/s/tidy' })
  test('a quoted argument can have millions of characters', () => {
    expect(fill('$1', `"${'a'.repeat(20_000_000)}" last`)).toBe('last')
  })
  test.each([
    ['Review $ARGUMENTS now', 'src and test', [], 'Review src and test now'],
    ['$0 then $1, not $2', 'a "b c"', [], 'a then b c, not '],
    ['$what in ${how}', 'files fast', ['what', 'how'], 'files in fast'],
    ['${TRESTLE_SKILL_DIR}/x ${KIMI_SKILL_DIR}/y', '', [], '/s/tidy/x /s/tidy/y'],
    ['costs $HOME and $5x', '', [], 'costs $HOME and $5x'],
    ['no placeholder', 'but args', [], 'no placeholder\n\nArguments: but args'],
    ['$0', '$1 $0', [], '$1'],
  ])('%s with %s', (body, args, names, expected) => {
    expect(fill(body, args, names)).toBe(expected)
  })
})
