import { describe, expect, test } from 'vitest'
import { gitFailure } from './git-failure'

function failure(stderr: string, { stdout = '', hooks = [] as { name: string; code: number }[] } = {}) {
  return gitFailure({ args: ['push'], stdout: Buffer.from(stdout), stderr, hooks })
}

describe('a failed command', () => {
  test.each([
    ["fatal: detected dubious ownership in repository at '/x'", 'git.ownership'],
    ['fatal: not a git repository (or any of the parent directories): .git', 'git.no_repository'],
    ["fatal: Unable to create '/x/.git/index.lock': File exists.", 'git.locked'],
    ['*** Please tell me who you are.\n\nRun\n\n  git config ...', 'git.identity'],
    ['error: Your local changes to the following files would be overwritten by merge:\n\ta.txt', 'git.would_overwrite'],
    ["error: the branch 'x' is not fully merged", 'git.not_merged'],
    ["fatal: a branch named 'x' already exists", 'git.exists'],
    [' ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs', 'git.diverged'],
    [' ! [remote rejected] main -> main (protected branch hook declined)', 'git.rejected'],
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'git.sign_in'],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'git.unreachable'],
    ['CONFLICT (content): Merge conflict in a.txt', 'git.conflicts'],
    ['nothing to commit, working tree clean', 'git.nothing'],
    ["error: pathspec 'x' did not match any file(s) known to git", 'git.not_found'],
    ['fatal: something new', 'git.failed'],
  ])('that prints %j is %s', (printed, code) => expect(failure(printed).code).toBe(code))

  test('is also recognized by its standard output', () => {
    expect(failure('', { stdout: 'CONFLICT (content): Merge conflict in a.txt' }).code).toBe('git.conflicts')
  })

  test('because of a hook names the hook and its output, whatever that looks like', () => {
    const hooks = [
      { name: 'pre-commit', code: 0 },
      { name: 'commit-msg', code: 1 },
    ]
    const error = failure('nothing to commit? Write a better message.', { hooks })
    expect(error).toMatchObject({
      code: 'git.hook',
      message: expect.stringContaining('The hook commit-msg failed:\nnothing to commit? Write a better message.'),
    })
    expect(failure('', { hooks }).message).toContain('It printed no output.')
  })

  test('shows git’s message without hints, progress and prefix', () => {
    expect(failure('hint: try this\nReceiving: 10%\rReceiving: 100%\r\nfatal: it broke\nhint: or that').message).toBe(
      'Receiving: 100%\nfatal: it broke',
    )
    expect(failure('fatal: it broke').message).toBe('it broke')
  })

  test('keeps the end of a long output, where the reason is', () => {
    const { message } = failure(`${'noise\n'.repeat(5_000)}fatal: it broke`)
    expect(message.length).toBeLessThanOrEqual(4_000)
    expect(message).toMatch(/it broke$/)
    expect(new Set(message.split('\n'))).toEqual(new Set(['…', 'noise', 'fatal: it broke']))
    expect(failure('x'.repeat(5_000)).message).toBe(`…\n${'x'.repeat(3_998)}`)
  })

  test('without output names the command', () => {
    expect(failure(' \n').message).toBe('git push failed without a message.')
  })
})
