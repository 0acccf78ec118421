import { constants } from 'node:fs'
import { access, lstat, realpath } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { Workspace } from '../../workspace/workspace'
import { pathRefusal } from '../file-paths'
import { failed, ok, refuse, type PreparedCall, type Refusal, type Tool } from '../tool'
import { DEVICE_TOOL, type DeviceServices } from './device-services'
import description from './open-url.md?raw'

const MAX_CHARS = 2_000
/** Extensions of files that some system runs when they are opened, or that can contain macros, disks or settings. */
const PROGRAMS = new Set(
  `exe com bat cmd msi msp scr pif cpl ps1 psm1 vbs vbe wsf wsh wsc sct ws js jse hta reg lnk url jar jnlp
  msix appx msixbundle appxbundle application appref-ms gadget chm hlp inf scf settingcontent-ms search-ms library-ms
  iso img vhd vhdx xll slk iqy docm dotm xlsm xltm xlam pptm potm ppsm ppam
  desktop appimage flatpakref flatpakrepo snap deb rpm sh bash zsh fish run py pyw pyc pyz pyzw pl rb
  app command tool terminal workflow action scpt scptd applescript pkg dmg prefpane mobileconfig fileloc inetloc
  webloc`.split(/\s+/),
)

const input = lazySchema(() => z.strictObject({ url: z.string().trim().min(1) }))

type OpenServices = Pick<DeviceServices, 'workspace' | 'opener'>

/** Opens a web page, or a file of the project, for the user. It asks each time (approval/policies/boundaries.ts). */
export function openUrlTool(services: OpenServices): Tool<typeof input> {
  return {
    ...DEVICE_TOOL,
    name: 'OpenURL',
    description,
    input,
    listedOnly: true,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    async prepare({ url }) {
      if (url.length > MAX_CHARS)
        return refuse(`The address is longer than ${MAX_CHARS} characters. Give a shorter one.`)
      // A single letter before the colon is a Windows drive.
      const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
      if (scheme === 'http' || scheme === 'https') return webPage(url, services)
      if (scheme === undefined || scheme === 'file') return projectFile(url, scheme === 'file', services)
      return refuse(
        `OpenURL opens http and https addresses and files of the project, not ${scheme}: addresses. ` +
          'Give the address to the user in your answer instead.',
      )
    },
  }
}

function webPage(text: string, { opener }: OpenServices): PreparedCall | Refusal {
  if (!URL.canParse(text))
    return refuse(`${JSON.stringify(text)} is not a complete address. Give one like https://example.org/page.`)
  const { href, host, username, password } = new URL(text)
  if (username !== '' || password !== '')
    return refuse('Addresses with a name or password in them are not opened. Leave it out.')
  return {
    summary: href,
    accesses: [{ kind: 'network', host, url: href }],
    preview: async () => ({ kind: 'text', text: href }),
    run: () => opened(href, 'url', opener && (() => opener.url(href))),
  }
}

async function projectFile(
  written: string,
  isUrl: boolean,
  { workspace, opener }: OpenServices,
): Promise<PreparedCall | Refusal> {
  const path = isUrl ? pathOf(written) : written
  if (path === undefined)
    return refuse(`${JSON.stringify(written)} is not a file address of this machine. Give a path in the project.`)
  const place = await workspace.resolve(path)
  const refusal = pathRefusal(workspace, place)
  if (refusal) return refusal
  const shown = workspace.display(place.realPath)
  if (!place.inside) return refuse(`${shown} is outside the project. OpenURL opens only files of the project.`)
  const problem = await whyNotOpened(place.realPath, shown, workspace)
  if (problem !== undefined) return refuse(problem)
  return {
    summary: shown,
    accesses: [{ kind: 'file', path: place.realPath, written: place.path, write: false }],
    preview: async () => ({ kind: 'text', text: place.realPath }),
    // It may have become a program since it was prepared.
    check: async () => {
      const now = await whyNotOpened(place.realPath, shown, workspace)
      return now === undefined ? undefined : failed(now)
    },
    async run() {
      const now = await whyNotOpened(place.realPath, shown, workspace)
      return now === undefined
        ? opened(place.realPath, 'file', opener && (() => opener.file(place.realPath)))
        : failed(now)
    },
  }
}

async function whyNotOpened(realPath: string, shown: string, workspace: Workspace): Promise<string | undefined> {
  const found = await lstat(realPath).catch(() => undefined)
  if (!found) return `${shown} does not exist. Find it with Glob.`
  // The system would open whatever the name leads to at that time.
  if ((await realpath(realPath).catch(() => undefined)) !== realPath)
    return `${shown} was replaced by a symbolic link just now, so it was not opened. Try again.`
  if (!found.isFile()) return `${shown} is not a file. Give a file of the project.`
  const isExecutable =
    process.platform !== 'win32' &&
    (await access(realPath, constants.X_OK).then(
      () => true,
      () => false,
    ))
  return PROGRAMS.has(workspace.paths.path.extname(realPath).slice(1).toLowerCase()) || isExecutable
    ? `${shown} is a program: opening it could run it. Use Bash if it is to run.`
    : undefined
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

async function opened(
  address: string,
  target: 'url' | 'file',
  open: (() => Promise<void>) | undefined,
): Promise<ReturnType<typeof ok>> {
  try {
    await open?.()
  } catch {
    return failed(
      `${address} could not be opened: the system has no program for it, or refused. ` +
        'Give it to the user in your answer.',
    )
  }
  return ok(open ? `Opened ${address}.` : `The user was shown ${address} as a link; it opens when they follow it.`, {
    kind: 'open',
    address,
    target,
    opened: open !== undefined,
  })
}
