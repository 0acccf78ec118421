import { isCredential } from '../../sandbox/protected-names'
import { pathsOf, treesOf, type Policy, type JudgedCall } from '../rules/policy'
import { hostAllowed } from '../../network/host-list'
import { namingRule } from '../rules/match-rules'
import { protectedFile } from '../dangerous/hard-links'
import { protectedPath } from '../dangerous/protected-path'
import { realPathOrSelf } from '../../workspace/path/real-path'
import { realCodeCacheFolder } from '../../runtime/code-cache'

/**
 * Trestle's own folder holds keys, sessions and the settings that decide what asks: no tool reads or changes it, and
 * none changes Trestle's compiled code, which is in another folder, in any mode. Output that this session's calls left
 * in Trestle's folder for the model can be read. A command that walks a parent folder would reach it too, so it asks;
 * tools that walk folders skip it.
 */
export const trestleHome: Policy = ({ call, part, workspace, home, ownOutput }) => {
  const { isWithin, isSame, comparable } = workspace.paths
  // A project can be inside it; scratch folders are.
  const projects = [workspace.root, ...workspace.addedFolders].filter(
    (root) => !isSame(root, home) && isWithin(root, home),
  )
  const paths = pathsOf({ call, ...(part && { part }) })
  const reached = paths.find(
    ({ path, write }) =>
      isWithin(path, home) &&
      !projects.some((root) => isWithin(path, root)) &&
      (write || !ownOutput.some((folder) => isWithin(path, folder))),
  )
  // Code planted there would run at the next start. Most calls write nothing and need not look for the folder.
  const written = paths.filter(({ write }) => write)
  const code = written.length === 0 ? undefined : realCodeCacheFolder()
  const planted = code === undefined ? undefined : written.find(({ path }) => isWithin(path, code))
  const own = reached ?? planted
  if (own) return { decision: 'deny', reason: `${own.path} belongs to Trestle itself.` }
  const above =
    part &&
    treesOf(part).find(
      (path) =>
        !isSame(path.realPath, home) &&
        isWithin(home, path.realPath) &&
        !isSkippedAsHidden(path, comparable(home), comparable(path.realPath)),
    )
  if (!above) return undefined
  const what = above.write ? 'changes' : 'reads'
  return {
    decision: 'ask',
    reason: `It ${what} everything in ${above.realPath}, and Trestle's own folder with your keys is in there.`,
    everyTime: true,
  }
}

/** Whether a program does not reach this folder because it skips hidden folders. */
function isSkippedAsHidden({ tree }: ReturnType<typeof treesOf>[number], home: string, folder: string): boolean {
  return tree.skipsHidden === true && home.slice(folder.length).includes('/.')
}

/**
 * A sandbox has its own versions of these. A tool would see the machine's processes with their arguments, and its
 * shared memory.
 */
const OWN_OF_SANDBOX = /^\/(?:dev|proc)(?:\/|$)/
const HARMLESS_PROC_FILES = /^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime)$/

/**
 * Access outside the project and the folders the user added asks, even to read. In auto mode it asks only if commands
 * are sandboxed: then file tools have the same limits, and for commands the sandbox decides what is outside.
 */
export const outsideWorkspace: Policy = ({ call, part, mode, workspace, ownOutput, sandboxes }) => {
  if (mode === 'auto' && (part || !sandboxes || sandboxes.unavailable !== undefined)) return undefined
  const { isWithin } = workspace.paths
  const roots = [workspace.root, ...workspace.addedFolders]
  const isSeen = (path: string): boolean =>
    sandboxes?.isReadable(path) === true && (!OWN_OF_SANDBOX.test(path) || HARMLESS_PROC_FILES.test(path))
  const outside = pathsOf({ call, ...(part && { part }) }).find(
    ({ path, write }) =>
      !roots.some((root) => isWithin(path, root)) &&
      (write || !ownOutput.some((folder) => isWithin(path, folder))) &&
      !(mode === 'auto' && !write && isSeen(path)),
  )
  return outside && { decision: 'ask', reason: `${outside.path} is outside this project.` }
}

/**
 * The user's credentials ask even when the project is the home folder or a part of it: there, too, a sandbox keeps them
 * from commands.
 */
export const credentials: Policy = ({ call, part, mode, workspace, sandboxes }) => {
  if (part || (mode === 'auto' && (!sandboxes || sandboxes.unavailable !== undefined))) return undefined
  const userHome = realPathOrSelf(workspace.userHome)
  const found = pathsOf({ call }).find(({ path }) => isCredential(path, userHome))
  return found && { decision: 'ask', reason: `${found.path} is where a program keeps what signs you in.` }
}

/**
 * A page on an unlisted host asks in every mode, because an address can carry text out of the project. Listed hosts are
 * those of the sandbox, those of `[web]`, and those that rules allow.
 */
export const webAddresses: Policy = ({ call, sandboxes }) => {
  if (!sandboxes) return undefined
  for (const access of call.accesses) {
    if (access.kind !== 'network' || access.url === undefined) continue
    const { protocol, port, hostname: host } = new URL(access.url)
    const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
    if (!hostAllowed(sandboxes.webHosts, host, number))
      return {
        decision: 'ask',
        reason: `It connects to ${host}, which is not a listed host; the address can carry text out of the project.`,
      }
  }
  return undefined
}

/**
 * A command that visibly opens or changes a file with secrets asks in every mode, also in folders that it walks; a rule
 * covers this only when it names the file. Checking whether the file exists, or its size, reveals no secret.
 */
export const sensitiveReads: Policy = (judged) => {
  const { part } = judged
  if (part?.kind !== 'run') return undefined
  const secret = part.paths.find((path) => path.sensitive !== undefined && !path.namesOnly && !namingRule(judged, path))
  return (
    secret && {
      decision: 'ask',
      reason: `It uses ${secret.path}, which may hold secrets (${secret.sensitive}).`,
      everyTime: true,
    }
  )
}

/** A redirection from or to a sensitive file is denied, just as in Read and Write. */
export const sensitiveRedirection: Policy = ({ part }) => {
  const path = part?.kind === 'redirection' ? part.paths.find(({ sensitive }) => sensitive !== undefined) : undefined
  return path && { decision: 'deny', reason: `${path.path} is sensitive (${path.sensitive}).` }
}

/** Anything that cannot be undone, or that changes what other programs run later, asks in every mode. */
export const dangerous: Policy = ({ call, part, workspace }) => {
  if (part) return part.danger === undefined ? undefined : { decision: 'ask', reason: part.danger, everyTime: true }
  for (const access of call.accesses) {
    if (access.kind !== 'file' || !access.write) continue
    const reason =
      protectedFile(access.path, workspace) ??
      (access.written === undefined ? undefined : protectedPath(access.written, workspace.userHome, workspace.paths))
    if (reason !== undefined) return { decision: 'ask', reason: `${access.path} is ${reason}.`, everyTime: true }
  }
  return undefined
}

/** Tools whose every call is shown to the user first, with the reason. */
const ASKS: Readonly<Record<string, string>> = {
  GetLocation: 'Your IP address and where it is are personal.',
  OpenURL: 'It opens on your screen, and an address can carry text to its server.',
  CreateCalendarEvent: 'Check the event before it goes to your calendar.',
}
/** Tools that only notify the user. */
const NOTIFIES = new Set(['SendNotification', 'SetAlarm'])

/** No mode, rule or earlier answer covers these. */
export const askAlways: Policy = ({ tool }) => {
  const reason = tool.server ? undefined : ASKS[tool.name]
  return reason === undefined ? undefined : { decision: 'ask', reason, everyTime: true }
}

/** A notification or an alarm only concerns the user, who can clear or cancel it. */
export const notifyFreely: Policy = ({ tool }) =>
  !tool.server && NOTIFIES.has(tool.name)
    ? { decision: 'allow', reason: 'It only tells you something, and you can clear or cancel it.' }
    : undefined

/** Tools that add text to the memory, which later sessions read. */
const STORES_MEMORY = new Set(['MemoryStore', 'MemoryLearn'])
/** The other tools that change the memory; their changes can be undone on the Memory page. */
const CHANGES = new Set(['MemoryForget', 'MemoryReinforce'])

const isOwn = ({ tool }: JudgedCall, names: ReadonlySet<string>): boolean => !tool.server && names.has(tool.name)

/**
 * After a page, mail or a server's result was read, storing a memory asks every time, in every mode: that text may ask
 * to be remembered, and every later session would read it. No rule covers it.
 */
export const rememberThirdParty: Policy = (judged) =>
  isOwn(judged, STORES_MEMORY) && judged.hasReadThirdParty?.()
    ? {
        decision: 'ask',
        reason:
          'This conversation contains text from the web, mail or a server, ' +
          'and later sessions will read what is remembered.',
        everyTime: true,
      }
    : undefined

/** Tools that decide what later runs of the agent do. */
const SCHEDULES = new Set(['ScheduleCreate', 'ScheduleUpdate'])

/** Likewise, messages to a scheduled run ask after third-party text was read. */
export const scheduleThirdParty: Policy = (judged) =>
  isOwn(judged, SCHEDULES) && judged.hasReadThirdParty?.()
    ? {
        decision: 'ask',
        reason:
          'This conversation contains text from the web, mail or a server, ' +
          'and later runs will do what the schedule says.',
        everyTime: true,
      }
    : undefined

/**
 * What comes from the user and the project is remembered without asking: it is shown in the conversation and on the
 * Memory page, where it can be undone.
 */
export const rememberFreely: Policy = (judged) =>
  isOwn(judged, STORES_MEMORY) || isOwn(judged, CHANGES)
    ? { decision: 'allow', reason: 'It changes only the memory, and you can undo that.' }
    : undefined
