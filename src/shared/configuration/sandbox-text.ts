import type { SessionMode } from '../model/approval/approval'
import {
  SANDBOX_LEVEL_NAMES,
  SANDBOX_NETWORK_NAMES,
  type SandboxLevel,
  type SandboxMode,
  type SandboxNetwork,
  type SandboxStatus,
} from '../model/task/sandbox'

/** The sandbox of a session as a short label: `Project · no network`. */
export function sandboxLabel({ level, network, unavailable }: SandboxStatus): string {
  if (unavailable) return 'No sandbox'
  return level === 'project'
    ? `${SANDBOX_LEVEL_NAMES.project} · ${SANDBOX_NETWORK_NAMES[network]}`
    : SANDBOX_LEVEL_NAMES[level]
}

/** What commands can and cannot do at a level, as sentences. Without `network`, the network is not mentioned. */
export function sandboxDescription({
  level,
  network,
}: {
  level: SandboxLevel
  network?: SandboxNetwork | undefined
}): string {
  switch (level) {
    case 'read-only':
      return 'Can read this project. Cannot change files or connect to the network.'
    case 'project':
      return (
        'Can change this project, ' +
        `added folders and package caches.${network === undefined ? '' : ` ${CONNECTS[network]}`}`
      )
    default:
      return 'Runs without a sandbox: can change any file you can, and connect to any host.'
  }
}

const CONNECTS: Readonly<Record<SandboxNetwork, string>> = {
  none: 'Cannot connect to the network.',
  listed: 'Can connect to the listed hosts only.',
  open: 'Can connect to any host.',
}

/** The note for a project that is too large to search for secrets. */
export const INCOMPLETE_SEARCH_NOTE =
  'This project is too large to search completely, so secrets in deep folders may not be hidden.'

/** Everything the sandbox of a session can reach, as a detailed list. */
export function sandboxPermissions({
  level,
  network,
  unavailable,
  isIncomplete,
}: SandboxStatus): { title: string; text: string }[] {
  if (unavailable || level === 'unrestricted')
    return [
      { title: 'Read', text: 'All files you can read' },
      { title: 'Change', text: 'All files you can change' },
      { title: 'Connect to', text: 'Any host' },
    ]
  const connects: Readonly<Record<SandboxNetwork, string>> = {
    none: 'Nothing',
    listed: 'Listed hosts only',
    open: 'Any host',
  }
  return [
    { title: 'Read', text: 'This project, added folders and system folders' },
    {
      title: 'Change',
      text:
        level === 'project'
          ? 'This project, added folders and package caches'
          : 'Nothing, except a private temporary folder',
    },
    { title: 'Connect to', text: connects[level === 'project' ? network : 'none'] },
    { title: 'Never visible', text: "Keys, .env files, credentials, other users' home folders, Trestle's own data" },
    ...(isIncomplete ? [{ title: 'Warning', text: INCOMPLETE_SEARCH_NOTE }] : []),
  ]
}

/**
 * Whether commands are confined. `sandboxed`: they are; `none`: they run as they would without Trestle; `asks`: there
 * is no sandbox, but the settings require one, so every command asks.
 */
export type Confinement = 'sandboxed' | 'none' | 'asks'

/**
 * The confinement of a session or, before it has a sandbox, of this machine. Unknown counts as no sandbox, so that the
 * UI never promises one that may not exist.
 */
export function confinementOf(
  status: Pick<SandboxStatus, 'level' | 'unavailable'> | undefined,
  settings: { mode: SandboxMode; status?: { available: boolean } } | undefined,
): Confinement {
  const isSandboxed = status
    ? !status.unavailable && status.level !== 'unrestricted'
    : settings !== undefined && settings.mode !== 'off' && settings.status?.available === true
  if (isSandboxed) return 'sandboxed'
  return status?.unavailable?.isRequired || settings?.mode === 'required' ? 'asks' : 'none'
}

/** The display names of the modes. */
export const MODE_NAMES: Readonly<Record<SessionMode, string>> = {
  ask: 'Ask first',
  'accept-edits': 'Accept edits',
  auto: 'Auto',
  plan: 'Plan',
}

/** What a mode allows without asking, as sentences. */
export function modeDescription(mode: SessionMode, confinement: Confinement): string {
  switch (mode) {
    case 'ask':
      return 'Reads freely. Asks before every edit and command.'
    case 'plan':
      return 'Read-only until you approve the plan.'
    case 'accept-edits':
      return confinement === 'sandboxed'
        ? 'Edits project files and runs commands in the sandbox. Asks before anything else.'
        : 'Edits project files freely. No sandbox: asks before commands and anything outside the project.'
    default:
      return AUTO[confinement]
  }
}

const AUTO: Readonly<Record<Confinement, string>> = {
  sandboxed: 'Runs commands in the sandbox with the listed hosts. Asks before leaving it and before dangerous actions.',
  none:
    'No sandbox: runs commands unrestricted, and asks only before dangerous actions. ' +
    'Use only in disposable environments.',
  asks:
    'The required sandbox is unavailable: asks before every command. ' +
    'Other tools run without asking, except for dangerous actions.',
}

/** Splits advice into its text and the command to run. The command is the whole text, or the part in backquotes. */
export function remedyParts(remedy: string): { words: string; command?: string } {
  const [before = '', quoted, after = ''] = remedy.split('`')
  if (quoted !== undefined) return { words: `${before.trim()} ${after.trim()}`.trim(), command: quoted }
  return /^[a-z][\w./-]* .*[^.]$/.test(remedy) ? { words: '', command: remedy } : { words: remedy }
}

/** Why there is no sandbox and what to do about it, in one line. */
export function unavailableText({ reason, remedy }: NonNullable<SandboxStatus['unavailable']>): string {
  if (remedy === undefined) return reason
  return remedyParts(remedy).words === '' ? `${reason} To fix it, run: ${remedy}` : `${reason} ${remedy}`
}
