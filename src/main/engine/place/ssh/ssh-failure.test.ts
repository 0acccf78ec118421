import { describe, expect, it } from 'vitest'
import { sshFailure } from './ssh-failure'
import { quoted } from '../launcher/shell-run'
import { checkRunsThere, parseProbe } from '../prepare/probe'
import { pathText } from './shell-launcher'

describe('failures of ssh in plain words', () => {
  it.each([
    [
      'ssh: Could not resolve hostname box: Name or service not known',
      'place.unreachable',
      'There is no host named box',
    ],
    ['ssh: connect to host box port 22: Connection refused', 'place.unreachable', 'no ssh server listens'],
    ['ssh: connect to host box port 22: Connection timed out', 'place.unreachable', 'did not answer in time'],
    ['ssh: connect to host box port 22: No route to host', 'place.unreachable', 'no network path'],
    ['ada@box: Permission denied (publickey,password).', 'place.refused', 'it offers publickey,password'],
    ['Received disconnect from box: Too many authentication failures', 'place.refused', 'too many keys'],
    [
      '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.',
      'place.host_key',
      'ssh-keygen -R box',
    ],
    ['Host key verification failed.', 'place.host_key', 'never connected to box'],
    [
      '/home/a/.ssh/config: line 3: Bad configuration option: hots',
      'place.unreachable',
      'Bad configuration option: hots',
    ],
    ['kex_exchange_identification: Connection closed by remote host', 'place.unreachable', 'closed the connection'],
    ['something \u001b[31mnew', 'place.unreachable', 'failed: something [31mnew'],
    ['', 'place.unreachable', 'ended without a reason'],
  ])('%s', (stderr, code, text) => {
    const { code: found, message } = sshFailure('box', stderr)
    expect([found, message]).toEqual([code, expect.stringContaining(text)])
  })
})

describe('before anything is copied, a machine', () => {
  const own = { platform: 'linux' as const, arch: 'x64', isMusl: false }
  const facts = (more: object) => ({
    system: 'Linux',
    arch: 'x86_64',
    libc: 'glibc 2.36',
    user: '',
    host: '',
    installed: [],
    ...more,
  })

  it('is accepted if it is of the same kind', () => {
    expect(() => checkRunsThere(facts({}), own)).not.toThrow()
    expect(() => checkRunsThere(facts({ libc: '' }), own)).not.toThrow()
  })

  it.each([
    [{ arch: 'aarch64' }, 'It runs Linux on aarch64, and this machine linux on x64'],
    [{ system: 'Darwin' }, 'It runs Darwin on x86_64'],
    [{ system: 'SunOS' }, 'It runs SunOS on x86_64; Trestle runs on Linux and macOS'],
    [{ arch: '' }, 'an unknown processor'],
    [{ libc: 'musl' }, 'Its C library is musl'],
    [{ libc: 'glibc 2.17' }, 'needs glibc 2.28 or newer'],
  ])('is rejected with the reason: %o', (more, text) => {
    expect(() => checkRunsThere(facts(more), own)).toThrow(text)
  })

  it('is rejected without a POSIX shell', () => {
    expect(() => parseProbe('This account is not available.\n')).toThrow('no POSIX shell')
  })

  it('is described only by plausible numbers', () => {
    const found = parseProbe(
      'probe=1\nsystem=Linux\narch=x86_64\ndiskKb=1000\nmemoryKb=-5\ncores=x\nload=0.5\n' +
        'installed=app-0123456789abcdef 2048 0.1.0\ninstalled=../../etc 1 x\nend=1\n',
      ['app-0123456789abcdef'],
    )
    expect(found).toEqual({
      system: 'Linux',
      arch: 'x86_64',
      libc: '',
      user: '',
      host: '',
      diskFreeBytes: 1_024_000,
      load: 0.5,
      installed: [{ hash: 'app-0123456789abcdef', version: '0.1.0', bytes: 2_097_152, isCurrent: true }],
    })
  })
})

describe('words for a shell', () => {
  it('stay one word, whatever they contain', () => {
    expect(quoted("it's $HOME; rm -rf /")).toBe(`'it'\\''s $HOME; rm -rf /'`)
    expect([pathText('~'), pathText('~/a b'), pathText('/opt/x')]).toEqual(['"$HOME"', `"$HOME"/'a b'`, '/opt/x'])
  })
})
