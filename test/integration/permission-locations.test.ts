import { describe, expect, it } from 'vitest'
import { commandVerdict, fileVerdict, macWorld, posixWorld, windowsWorld, type Asked } from '../support/path-worlds'

/** A location: below the project, below the user's folder, or on another disk. */
type Place = 'project' | 'user' | 'elsewhere'

interface Row extends Asked {
  tool: 'Read' | 'Write'
  place: Place
  /** From there. */
  at: string
  verdict: 'allow' | 'ask' | 'deny' | 'refused'
  /** The same rules as written on Windows, where they differ. */
  windowsRules?: readonly string[]
}

const ROWS: readonly Row[] = [
  { tool: 'Read', place: 'project', at: 'src/a.ts', verdict: 'allow' },
  { tool: 'Read', place: 'project', at: 'docs/Read Me.md', verdict: 'allow' },
  { tool: 'Read', place: 'project', at: 'src/not-yet.ts', verdict: 'allow' },
  { tool: 'Read', place: 'project', at: '.env', verdict: 'refused' },
  { tool: 'Read', place: 'project', at: 'jump/x.txt', verdict: 'ask' },
  { tool: 'Read', place: 'user', at: 'notes.txt', verdict: 'ask' },
  { tool: 'Read', place: 'user', at: '.ssh/config', verdict: 'refused' },
  { tool: 'Read', place: 'user', at: '.trestle/config.toml', verdict: 'deny' },
  { tool: 'Read', place: 'elsewhere', at: 'x.txt', verdict: 'ask' },
  { tool: 'Write', place: 'project', at: 'src/a.ts', verdict: 'ask' },
  { tool: 'Write', place: 'project', at: 'src/a.ts', mode: 'accept-edits', verdict: 'allow' },
  { tool: 'Write', place: 'project', at: '.git/config', mode: 'accept-edits', verdict: 'ask' },
  { tool: 'Write', place: 'project', at: '.git/config', mode: 'auto', verdict: 'ask' },
  { tool: 'Write', place: 'project', at: '.github/workflows/ci.yml', mode: 'auto', verdict: 'ask' },
  { tool: 'Write', place: 'user', at: '.bashrc', mode: 'auto', verdict: 'ask' },
  { tool: 'Write', place: 'user', at: 'notes.txt', mode: 'accept-edits', verdict: 'ask' },
  { tool: 'Read', place: 'project', at: 'secrets/key.txt', rules: ['deny Read(secrets)'], verdict: 'deny' },
  {
    tool: 'Read',
    place: 'project',
    at: 'secrets/key.txt',
    rules: ['deny Read(./secrets/**)'],
    windowsRules: ['deny Read(.\\secrets\\**)'],
    verdict: 'deny',
  },
  { tool: 'Read', place: 'project', at: 'secrets/key.txt', rules: ['deny Read(SECRETS/*.TXT)'], verdict: 'deny' },
  { tool: 'Read', place: 'project', at: 'secrets/key.txt', rules: ['ask Read(**/key.*)'], verdict: 'ask' },
  { tool: 'Read', place: 'project', at: 'src/deep/b.ts', rules: ['deny Read(src/*.ts)'], verdict: 'allow' },
  {
    tool: 'Read',
    place: 'user',
    at: 'Documents/report.txt',
    rules: ['deny Read(~/Documents/**)'],
    windowsRules: ['deny Read(C:/Users/me/Documents/**)'],
    verdict: 'deny',
  },
  {
    tool: 'Read',
    place: 'user',
    at: 'Documents/report.txt',
    rules: ['deny Read(~/Documents)'],
    windowsRules: ['deny Read(/c/users/ME/Documents)'],
    verdict: 'deny',
  },
  {
    tool: 'Read',
    place: 'user',
    at: 'Documents/report.txt',
    rules: ['allow Read(~/Documents/**)'],
    windowsRules: ['allow Read(C:\\Users\\me\\Documents\\**)'],
    verdict: 'allow',
  },
  { tool: 'Read', place: 'user', at: 'Documents/report.txt', rules: ['allow Read(~/*)'], verdict: 'ask' },
  { tool: 'Write', place: 'project', at: 'src/a.ts', rules: ['allow Write(src/*)'], verdict: 'allow' },
  { tool: 'Write', place: 'project', at: 'src/deep/b.ts', rules: ['allow Write(src/*)'], verdict: 'ask' },
  { tool: 'Write', place: 'project', at: 'src/deep/b.ts', rules: ['allow Write(*.ts)'], verdict: 'ask' },
  { tool: 'Write', place: 'project', at: 'src/deep/b.ts', rules: ['allow Write(**/*.ts)'], verdict: 'allow' },
  {
    tool: 'Write',
    place: 'project',
    at: 'src/deep/b.ts',
    rules: ['allow Write(**)', 'deny Write(src/deep)'],
    verdict: 'deny',
  },
  { tool: 'Write', place: 'project', at: 'jump/x.txt', rules: ['allow Write(jump/**)'], verdict: 'ask' },
  {
    tool: 'Write',
    place: 'elsewhere',
    at: 'x.txt',
    rules: ['allow Write(/data/other/*)'],
    windowsRules: ['allow Write(D:/data/other/*)'],
    verdict: 'allow',
  },
  {
    tool: 'Write',
    place: 'elsewhere',
    at: 'x.txt',
    rules: ['deny Write(/data)'],
    windowsRules: ['deny Write(\\\\?\\d:\\data)'],
    verdict: 'deny',
  },
]

const POSIX: Readonly<Record<Place, string>> = {
  project: '/work/my project',
  user: '/home/me',
  elsewhere: '/data/other',
}
const WINDOWS: Readonly<Record<Place, string>> = {
  project: '/work/my project',
  user: '/Users/me',
  elsewhere: '/data/other',
}

/** The spellings of one location on Linux. */
function posixSpellings(place: Place, at: string): string[] {
  const full = `${POSIX[place]}/${at}`
  return [
    full,
    `/${full}`.replace('//', '///').replace(/^\/+/, '/'),
    `${POSIX[place]}/./${at}`,
    `${POSIX[place]}//${at}`,
    `/nowhere/..${full}`,
    ...(place === 'project' ? [at, `./${at}`, `src/../${at}`] : []),
    ...(place === 'user' ? [`~/${at}`] : []),
  ]
}

/** The spellings of one location on Windows. */
function windowsSpellings(place: Place, at: string): string[] {
  const drive = place === 'elsewhere' ? 'D' : 'C'
  const way = `${WINDOWS[place]}/${at}`
  const back = way.replaceAll('/', '\\')
  return [
    `${drive}:${back}`,
    `${drive}:${way}`,
    `${drive.toLowerCase()}:${back.toUpperCase()}`,
    `/${drive.toLowerCase()}${way}`,
    `/${drive}${way.toLowerCase()}`,
    `/cygdrive/${drive.toLowerCase()}${way}`,
    `/proc/cygdrive/${drive.toLowerCase()}${way}`,
    `\\\\?\\${drive}:${back}`,
    `\\\\.\\${drive}:${back}`,
    `//?/${drive}:${way}`,
    `\\??\\${drive}:${back}`,
    `\\\\localhost\\${drive}$${back}`,
    `\\\\127.0.0.1\\${drive.toLowerCase()}$${back}`,
    `/x/../${drive.toLowerCase()}${way}`,
    ...(place === 'elsewhere' ? [] : [back, way]),
    ...(place === 'project'
      ? [at, at.replaceAll('/', '\\'), `.\\${at}`, `src\\..\\${at}`, `C:\\work\\MYPROJ~1\\${at}`]
      : []),
    ...(place === 'user' ? [`~/${at}`, `~\\${at.replaceAll('/', '\\')}`] : []),
  ]
}

interface Vector {
  system: 'posix' | 'win32'
  path: string
  rules: readonly string[]
}

function vectorsOf({ place, at, rules = [], windowsRules = rules }: Row): Vector[] {
  return [
    ...posixSpellings(place, at).map((path): Vector => ({ system: 'posix', path, rules })),
    ...windowsSpellings(place, at).map((path): Vector => ({ system: 'win32', path, rules: windowsRules })),
  ]
}

describe('the same location gets the same verdict on POSIX and on Windows, however it is written', () => {
  const worlds = { posix: posixWorld(), win32: windowsWorld() }

  it('has at least 300 vectors, over 100 of them for each system', () => {
    const all = ROWS.flatMap((row) => vectorsOf(row).map((vector) => JSON.stringify([row.tool, row.mode, vector])))
    expect(new Set(all).size).toBeGreaterThanOrEqual(300)
    for (const system of ['posix', 'win32'])
      expect(all.filter((vector) => vector.includes(`"system":"${system}"`)).length).toBeGreaterThan(100)
  })

  it.each(ROWS)('$tool of $at ($place) in mode $mode with $rules: $verdict', async (row) => {
    const wrong: unknown[] = []
    for (const { system, path, rules } of vectorsOf(row)) {
      const found = await fileVerdict(worlds[system], row.tool, path, { rules, ...(row.mode && { mode: row.mode }) })
      if (found !== row.verdict) wrong.push([system, path, rules, found])
    }
    expect(wrong).toEqual([])
  })

  it.each([
    ['cat', 'project', 'src/a.ts', [], 'allow'],
    ['cat', 'project', '.env', [], 'ask'],
    ['cat', 'project', 'secrets/key.txt', ['deny Read(secrets)'], 'deny'],
    ['cat', 'user', 'notes.txt', [], 'ask'],
    ['cat', 'user', 'Documents/report.txt', ['deny Read(~/Documents/**)'], 'deny'],
    ['cat', 'user', '.trestle/config.toml', [], 'deny'],
    ['cat', 'project', 'jump/x.txt', [], 'ask'],
  ] as const)('%s of a file below %s (%s) with %j: %s', async (program, place, at, rules, verdict) => {
    const wrong: unknown[] = []
    for (const [world, spellings] of [
      [worlds.posix, posixSpellings(place, at)],
      [worlds.win32, windowsSpellings(place, at)],
    ] as const) {
      for (const path of spellings.filter((each) => !each.startsWith('~'))) {
        const found = await commandVerdict(world, `${program} '${path}'`, { rules })
        if (found !== verdict) wrong.push([path, found])
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('Windows', () => {
  const world = windowsWorld()
  const share = windowsWorld('\\\\server\\share\\my project')

  it.each([
    'aux.txt',
    'CON',
    'nul',
    'src/nul.tar.gz',
    'com1',
    'LPT9.log',
    'COM\u00b9',
    'prn .txt',
    'conin$',
    'C:\\work\\my project\\AUX',
    '/c/work/my project/con',
    'src\\aux\\x.ts',
    'x.txt:hidden',
    'src/a.ts::$DATA',
    'src/a.ts.',
    'src/a.ts ',
    'src./a.ts',
    '\\\\.\\PhysicalDrive0',
    '\\\\.\\pipe\\x',
    '\\\\?\\GLOBALROOT\\Device\\x',
  ])('no tool opens %j, which is a device, a stream or a name that Windows alters', async (path) => {
    expect(await world.workspace.resolve(path)).toMatchObject({ inside: false, problem: expect.any(String) })
    expect(await fileVerdict(world, 'Write', path, { mode: 'auto', rules: ['allow Write'] })).toBe('refused')
  })

  it.each(['auxiliary.txt', 'console.log', 'nullable.ts', 'com.ts', 'lpt10.txt', '.aux', 'a.aux'])(
    '%s is an ordinary name',
    async (path) => {
      expect(await fileVerdict(world, 'Read', path)).toBe('allow')
    },
  )

  it.each([
    '.ENV',
    'ENV~1',
    '.env::$DATA',
    'C:\\work\\MYPROJ~1\\ENV~1',
    '\\\\?\\C:\\work\\my project\\.env',
    '~\\SSH~1\\config',
    '/c/Users/me/SSH~1/config',
  ])('a secret is recognized when written as %s', async (path) => {
    expect(await fileVerdict(world, 'Read', path)).toBe('refused')
  })

  it.each([
    '\\\\server\\share\\my project\\secrets\\key.txt',
    '//SERVER/Share/my project/secrets/key.txt',
    '\\\\?\\UNC\\server\\share\\my project\\secrets\\key.txt',
    '//?/UNC/server/share/my project/secrets/key.txt',
    'secrets\\key.txt',
  ])('rules apply to a project on a server: %s', async (path) => {
    for (const rule of [
      'deny Read(secrets)',
      'deny Read(//server/share/my project/secrets/**)',
      'deny Read(\\\\server\\share\\my project\\secrets)',
    ])
      expect([rule, await fileVerdict(share, 'Read', path, { rules: [rule] })]).toEqual([rule, 'deny'])
    expect(await fileVerdict(share, 'Read', path)).toBe('allow')
  })

  it.each([
    'C:\\Users\\me\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\x.bat',
    '/c/Users/me/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/x.lnk',
    'c:\\programdata\\Microsoft\\Windows\\Start Menu\\Programs\\StartUp\\x.bat',
    '~/Documents/WindowsPowerShell/Microsoft.PowerShell_profile.ps1',
    '~\\Documents\\PowerShell\\profile.ps1',
    '~/OneDrive - Work/Documents/PowerShell/Modules/x/x.psm1',
    'C:\\Windows\\System32\\Tasks\\x',
    'C:\\Windows\\System32\\drivers\\etc\\hosts',
    'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\profile.ps1',
    '/etc/profile',
    '/usr/bin/x',
    '~/AppData/Roaming/npm/tool.cmd',
    '~/AppData/Local/Microsoft/WindowsApps/x.exe',
    '~/AppData/Roaming/Code/User/settings.json',
    '~/.gitconfig',
    '~/_vimrc',
    '.git\\hooks\\pre-commit',
    '.vscode\\settings.json',
  ])('a change of %s asks in every mode', async (path) => {
    expect(await fileVerdict(world, 'Write', path, { mode: 'auto', rules: ['allow Write'] })).toBe('ask')
    // A quoted ~ is not a home folder to bash.
    const quoted = path.startsWith('~') ? path.replaceAll('\\', '/').replaceAll(' ', '\\ ') : `'${path}'`
    expect(await commandVerdict(world, `echo x > ${quoted}`, { mode: 'auto' })).toBe('ask')
  })

  it.each([
    'rm -r /c',
    "rm -r 'C:\\'",
    'rm -r /c/Users',
    'rm -r /c/Users/me',
    "rm -r 'c:/users/ME/'",
    'rm -r /c/Windows/System32',
    'rm -r "/c/Program Files"',
    'rm.exe -r /d',
    'rm -r /cygdrive/c/Users',
    "rm -r '\\\\?\\C:\\Users\\me'",
    'rm -r .',
    'rm -r "$HOME"',
    "find 'C:/Users' -delete",
    'rm -r //server/share',
    'schtasks //create //tn x //tr y',
    'reg add HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run',
    'C:\\\\Windows\\\\System32\\\\reg.exe delete HKCU',
    'setx PATH x',
    'sc create x',
    'taskkill //F //IM node.exe',
  ])('asks in Auto about %s', async (command) => {
    expect(await commandVerdict(world, command, { mode: 'auto' })).toBe('ask')
  })

  it.each([
    'echo x > /dev/null',
    "cat '/c/work/my project/src/a.ts' 2>/dev/null",
    'cat src/a.ts',
    'cat src/a.ts 2>nul',
    "cat 'src\\a.ts'",
  ])('allows %s without approval', async (command) => {
    expect(await commandVerdict(world, command)).toBe('allow')
  })

  it.each([
    '~/notes.txt',
    'D:\\data\\new.txt',
    'C:\\work\\x.txt',
    '~/Documents/report.txt',
    '~/AppData/Local/x/cache.txt',
  ])('treats a change of %s as ordinary', async (path) => {
    expect(await fileVerdict(world, 'Write', path, { mode: 'auto' })).toBe('allow')
  })

  it.each(["rm -r 'src/deep'", 'rm -r /d/data/other', 'schtasks //query', 'reg query HKCU', 'sc query'])(
    'does not ask in Auto about %s',
    async (command) => {
      expect(await commandVerdict(world, command, { mode: 'auto' })).toBe('allow')
    },
  )

  it("recognizes Git Bash's own folders", async () => {
    const real = async (path: string): Promise<string> => (await world.workspace.resolve(path)).realPath
    expect(await real('/tmp/x')).toBe('C:\\Users\\me\\AppData\\Local\\Temp\\x')
    expect(await real('/etc/profile')).toBe('C:\\Program Files\\Git\\etc\\profile')
    expect(await real('/bin/bash.exe')).toBe('C:\\Program Files\\Git\\usr\\bin\\bash.exe')
    expect(await real('/dev/null')).toBe('/dev/null')
  })
})

describe('macOS', () => {
  const world = macWorld()

  it.each(['/etc/hosts', '/private/etc/hosts', '/System/Volumes/Data/private/etc/hosts'])(
    'treats %s as one location',
    async (path) => {
      expect(await fileVerdict(world, 'Read', path, { rules: ['deny Read(/etc/**)'] })).toBe('deny')
      expect(await fileVerdict(world, 'Read', path, { rules: ['deny Read(/private/etc/hosts)'] })).toBe('deny')
      expect(await fileVerdict(world, 'Write', path, { mode: 'auto', rules: ['allow Write'] })).toBe('ask')
    },
  )

  it('treats a name with composed or decomposed accents as the same name, in rules and in the project path', async () => {
    for (const name of [
      'src/caf\u00e9.ts',
      'src/cafe\u0301.ts',
      '/Users/me/proj\u00e9/src/caf\u00e9.ts',
      '/Users/me/proje\u0301/src/cafe\u0301.ts',
      'SRC/CAF\u00c9.ts',
    ]) {
      expect([name, await fileVerdict(world, 'Read', name)]).toEqual([name, 'allow'])
      for (const rule of ['deny Read(src/caf\u00e9.ts)', 'deny Read(src/cafe\u0301.*)'])
        expect(await fileVerdict(world, 'Read', name, { rules: [rule] })).toBe('deny')
      expect(await fileVerdict(world, 'Write', name, { rules: ['allow Write(src/caf\u00e9.ts)'] })).toBe('allow')
    }
  })

  it.each([
    '~/Library/LaunchAgents/x.plist',
    '/Library/LaunchDaemons/x.plist',
    '/private/etc/launchd.conf',
    '/private/etc/periodic/daily/x',
    '~/Library/Keychains/login.keychain-db',
    '~/Library/Preferences/com.apple.loginitems.plist',
    '~/Library/Application Support/com.apple.backgroundtaskmanagementagent/backgrounditems.btm',
    '~/.zshrc',
  ])('a change of %s asks in every mode', async (path) => {
    expect(await fileVerdict(world, 'Write', path, { mode: 'auto', rules: ['allow Write'] })).toBe('ask')
  })
})
