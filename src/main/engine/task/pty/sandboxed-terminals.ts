import { isOpenFileLimitLow } from '../../process/file-descriptors'
import { makePipeFolder } from '../../sandbox/pipe-folder'
import { SandboxFiles, writeArguments } from '../../sandbox/bubblewrap/sandbox-files'
import { removeQuietly } from '../../sandbox/safe-fs'
import { sandboxPrograms } from '../../sandbox/sandbox-support'
import { projectState } from '../../sandbox/mounts/project-state'
import type { MountTemplate } from '../../sandbox/mounts/mount-template'
import { filesKey, networkKey, type SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { NativePty } from './open-terminal'
import type { ShellLauncher } from '../../process/shell-process'
import { CommandGroup, type GroupSandbox } from './command-group'
import { CommandNamespace } from './command-namespace'
import { SECCOMP_FD } from '../../sandbox/bubblewrap/namespace-script'

/** How often to look for unused resources. */
const TIDY_MS = 10_000
/** A sandbox without a command is released after this long, together with its placeholders in the project. */
const GROUP_IDLE_MS = 20_000
/** How many idle sandboxes of a session are kept: each holds terminals and processes. */
const MAX_IDLE = 4
/** How long the network and pid namespace of a session are kept without a command. */
const NAMESPACE_IDLE_MS = 300_000

/** The next sandbox is made when only this many slots are left. */
const SPARE_AT = 5
/** Delay, so that the command that used the slot is not slowed down. */
const PREPARE_MS = 15

/** A sandbox, and the state of the project that it was made for. */
interface KnownGroup {
  group: CommandGroup
  state: string
}

interface KnownNamespace {
  namespace: CommandNamespace
  files: SandboxFiles
  scope: string
  groups: Map<string, KnownGroup>
  /** Their successors, made ahead of time. */
  spares: Map<string, KnownGroup>
  /** What the next sandbox needs regardless of its files, made ahead of time. */
  prepared: CommandGroup | undefined
  /** No sandbox has been made in it yet. */
  isNew: boolean
  /** Mounts that the next sandbox starts from. */
  template: MountTemplate | 'making' | undefined
  usedAt: number
}

/** Sandboxes that stay ready between the commands of a session, on Linux. */
export class SandboxedTerminals {
  private readonly native: NativePty
  private readonly namespaces = new Map<string, KnownNamespace>()
  private readonly files = new Map<string, SandboxFiles>()
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(native: NativePty) {
    this.native = native
  }

  /**
   * A launcher of shells for commands with this policy and environment. `open` throws, with a message for the user, if
   * there is no sandbox: nothing runs without the one it was meant for.
   */
  launcherFor(policy: SandboxPolicy, env: Readonly<Record<string, string>>): ShellLauncher {
    let group: CommandGroup | undefined
    return {
      open: () => (group = this.groupFor(policy, env)).takeTerminal(),
      start: (terminal, _env, events) => {
        const shell = group?.start(terminal, events)
        if (!shell) throw new Error('This terminal belongs to no sandbox.')
        return shell
      },
      isCurrent: () => group !== undefined && this.isCurrent(policy, env, group),
      deniedHosts: (since) => this.namespaces.get(networkKey(policy))?.namespace.deniedHosts(since) ?? [],
      isIncomplete: () => this.files.get(policy.home)?.isIncomplete(policy) === true,
      close() {},
    }
  }

  /** Ends all sandboxes and what runs in them. */
  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    for (const known of this.namespaces.values()) this.end(known)
    for (const files of this.files.values()) files.close()
  }

  private groupFor(policy: SandboxPolicy, env: Readonly<Record<string, string>>): CommandGroup {
    // A terminal may be prepared when it is already too late.
    if (this.isClosed) throw new Error('Trestle is closing; no more commands can be started.')
    const known = this.namespaceFor(policy)
    known.usedAt = performance.now()
    const key = groupKey(policy, env)
    const state = projectState(policy)
    const before = known.groups.get(key)
    if (before?.group.hasFreeSlot && before.state === state) {
      if (before.group.freeSlots <= SPARE_AT && !known.spares.has(key)) this.prepare(known, key, policy, env)
      return before.group
    }
    const spare = known.spares.get(key)
    known.spares.delete(key)
    before?.group.retire()
    if (spare?.group.hasFreeSlot && spare.state === state) {
      known.groups.set(key, spare)
      return spare.group
    }
    spare?.group.retire()
    const made = this.make(known, key, policy, env)
    known.groups.set(key, made)
    return made.group
  }

  /** Makes the next sandbox before it is needed, while the commands of this one run. */
  private prepare(
    known: KnownNamespace,
    key: string,
    policy: SandboxPolicy,
    env: Readonly<Record<string, string>>,
  ): void {
    if (isOpenFileLimitLow()) return
    const timer = setTimeout(() => {
      if (this.isClosed || known.namespace.isOver || !known.groups.has(key) || known.spares.has(key)) return
      try {
        known.spares.set(key, this.make(known, key, policy, env))
      } catch {
        // The command that needs it reports why.
      }
    }, PREPARE_MS)
    timer.unref()
  }

  private make(
    known: KnownNamespace,
    key: string,
    policy: SandboxPolicy,
    env: Readonly<Record<string, string>>,
  ): KnownGroup {
    const template = known.template === 'making' ? undefined : known.template
    const { args, isAdded } = known.files.argumentsOn(template, policy, env, SECCOMP_FD)
    const problemOf = (mountinfo: () => string): string | undefined => known.files.problemOf(policy, env, mountinfo)
    const onGone = (): void => {
      for (const groups of [known.groups, known.spares]) if (groups.get(key)?.group === group) groups.delete(key)
    }
    // Most sessions never fill a second sandbox; those that needed one will need more.
    const isFirst = known.isNew
    known.isNew = false
    const onReady = (): void => {
      if (!isFirst) this.prepareNext(known, isAdded ? undefined : { policy, env })
    }
    const sandbox: GroupSandbox = { args, how: isAdded ? 'template' : 'full', problemOf, onReady, onGone }
    const { prepared } = known
    known.prepared = undefined
    const group =
      prepared?.isLost === false
        ? prepared
        : new CommandGroup(known.namespace, this.native, makePipeFolder(known.files.folder), sandbox)
    if (group === prepared) group.begin(sandbox)
    this.timer ??= setInterval(() => this.tidy(), TIDY_MS).unref()
    // Including what was just created for it in the project.
    return { group, state: projectState(policy, true) }
  }

  /** Prepares what the next sandbox will need, off the critical path. */
  private prepareNext(
    known: KnownNamespace,
    forTemplate: { policy: SandboxPolicy; env: Readonly<Record<string, string>> } | undefined,
  ): void {
    if (isOpenFileLimitLow()) return
    const timer = setTimeout(() => {
      if (this.isClosed || known.namespace.isOver || isUnused(known)) return
      try {
        known.prepared ??= new CommandGroup(known.namespace, this.native, makePipeFolder(known.files.folder))
        if (forTemplate) this.makeTemplate(known, forTemplate)
      } catch {
        // The command that needs it reports why.
      }
    }, PREPARE_MS)
    timer.unref()
  }

  private makeTemplate(
    known: KnownNamespace,
    { policy, env }: { policy: SandboxPolicy; env: Readonly<Record<string, string>> },
  ): void {
    if (!known.namespace.hasTemplates || known.template === 'making') return
    const { args, template } = known.files.templateFor(policy, env)
    const folder = makePipeFolder(known.files.folder)
    writeArguments(folder, args)
    known.template = 'making'
    const onKept = (): void => void (known.template = template)
    known.namespace.makeTemplate(folder, onKept, () => {
      if (known.template === 'making') known.template = undefined
      removeQuietly(folder)
    })
  }

  private isCurrent(policy: SandboxPolicy, env: Readonly<Record<string, string>>, group: CommandGroup): boolean {
    const known = this.namespaces.get(networkKey(policy))?.groups.get(groupKey(policy, env))
    return known?.group === group && known.state === projectState(policy)
  }

  private namespaceFor(policy: SandboxPolicy): KnownNamespace {
    const key = networkKey(policy)
    const before = this.namespaces.get(key)
    if (before && !before.namespace.isOver) {
      before.namespace.allowHosts(policy.hosts)
      return before
    }
    if (before) this.end(before)
    const support = sandboxPrograms(process.platform, process.env['PATH'])
    if (support.kind === 'none') throw new Error(noSandbox(support))
    const files = this.filesOf(policy.home, support.socat)
    const namespace = new CommandNamespace(
      { ...support, seccompFile: files.seccompFile(policy) },
      policy.network,
      policy.hosts,
      policy.level === 'project',
    )
    const known: KnownNamespace = {
      namespace,
      files,
      scope: policy.scope,
      groups: new Map(),
      spares: new Map(),
      prepared: undefined,
      isNew: true,
      template: undefined,
      usedAt: performance.now(),
    }
    this.namespaces.set(key, known)
    // It starts while we determine what to mount.
    known.prepared = new CommandGroup(namespace, this.native, makePipeFolder(files.folder))
    return known
  }

  private filesOf(home: string, socat: string | undefined): SandboxFiles {
    const known = this.files.get(home) ?? new SandboxFiles(home, socat)
    this.files.set(home, known)
    return known
  }

  private tidy(): void {
    const now = performance.now()
    for (const known of this.namespaces.values()) {
      for (const [key, { group }] of known.groups) {
        if (group.isBusy || now - group.usedAt < GROUP_IDLE_MS) continue
        group.retire()
        known.groups.delete(key)
      }
      for (const [key, { group }] of known.spares) {
        if (known.groups.has(key) && now - group.usedAt < GROUP_IDLE_MS) continue
        group.retire()
        known.spares.delete(key)
      }
      retireOldest(known)
      if (isUnused(known)) {
        known.prepared?.retire()
        known.prepared = undefined
      }
      if (isEmpty(known) && now - known.usedAt > NAMESPACE_IDLE_MS) this.end(known)
    }
    for (const files of this.files.values()) {
      if ([...this.namespaces.values()].every((known) => known.files !== files || isEmpty(known)))
        files.removePlaceholders()
    }
    if (this.namespaces.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  private end(known: KnownNamespace): void {
    for (const { group } of [...known.groups.values(), ...known.spares.values()]) group.retire()
    known.prepared?.retire()
    known.prepared = undefined
    known.groups.clear()
    known.spares.clear()
    known.namespace.close()
    for (const [key, each] of this.namespaces) if (each === known) this.namespaces.delete(key)
  }
}

/** Releases the least recently used sandboxes if there are too many. */
function retireOldest({ groups, spares }: KnownNamespace): void {
  const idle = [...groups]
    .filter(([, { group }]) => !group.isBusy)
    .toSorted(([, a], [, b]) => b.group.usedAt - a.group.usedAt)
  for (const [key, { group }] of idle.slice(MAX_IDLE)) {
    group.retire()
    spares.get(key)?.group.retire()
    groups.delete(key)
    spares.delete(key)
  }
}

function groupKey(policy: SandboxPolicy, env: Readonly<Record<string, string>>): string {
  return `${filesKey(policy)}\n${JSON.stringify(env)}`
}

/** Nothing runs in it, and nothing was left behind. */
function isEmpty(known: KnownNamespace): boolean {
  return isUnused(known) && !known.namespace.isInUse
}

function isUnused({ groups, spares }: KnownNamespace): boolean {
  return groups.size === 0 && spares.size === 0
}

function noSandbox({ reason, remedy = '' }: { reason: string; remedy?: string }): string {
  return `No sandbox available: ${reason} ${remedy}`.trim()
}
