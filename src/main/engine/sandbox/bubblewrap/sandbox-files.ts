import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { addedArguments, sandboxArguments, type BubblewrapOptions } from './bubblewrap-arguments'
import { mountPlan, type MountPlan } from '../mounts/mount-plan'
import { findMountMismatch, mountsOnTemplate, templateOf, type MountTemplate } from '../mounts/mount-template'
import { loadGuards, saveGuards } from '../mounts/moved-guards'
import { removeQuietly } from '../safe-fs'
import { isRunning } from '../../process/process-identity'
import { Placeholders } from '../mounts/placeholders'
import { sandboxEnvironment } from './sandbox-environment'
import { filesKey, type SandboxPolicy } from '../sandbox-policy'
import { seccompFilter } from './seccomp-filter'
import type { Mount } from '../mounts/system-mounts'

/** The files that sandboxes are made of, in a folder in TRESTLE_HOME that only the user can open. */
export class SandboxFiles {
  readonly folder: string
  private readonly placeholders: Placeholders
  private readonly known = new Set<string>()
  private readonly temporaries = new Set<string>()
  /** The last plan for each policy. */
  private readonly plans = new Map<string, Pick<MountPlan, 'mounts' | 'base'>>()
  /** Policies whose folders are too large to search completely for secrets. */
  private readonly incomplete = new Set<string>()

  private readonly socat: string | undefined

  /** `socat`: path of that program, if installed. */
  constructor(home: string, socat?: string) {
    this.socat = socat
    this.folder = join(home, 'run', 'sandbox')
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    this.placeholders = Placeholders.in(this.folder)
  }

  /** A file without any permissions. */
  get emptyFile(): string {
    const path = this.keep('hidden', Buffer.alloc(0))
    if (!this.known.has('closed')) chmodSync(path, 0)
    this.known.add('closed')
    return path
  }

  /**
   * The seccomp filter, as bubblewrap reads it. Commands on the machine's own network get no unix sockets, because
   * abstract ones have no path to hide.
   */
  seccompFile({ network, sockets }: Pick<SandboxPolicy, 'network' | 'sockets'>): string {
    const unixSockets = network !== 'open' || sockets.length > 0
    const filter = seccompFilter({ unixSockets })
    if (!filter) throw new Error(`There is no seccomp filter for ${process.arch}.`)
    return this.keep(`seccomp-${unixSockets ? 'unix' : 'no-unix'}-${hashOf(filter)}`, filter)
  }

  /** The folder that is /tmp for the commands of a scope; created empty if missing. */
  temporary(scope: string): string {
    // Not shared with other processes: each removes its own at exit, including what is mounted below it.
    const path = join(this.folder, 'tmp', `${scope.replaceAll(/[^\w-]/g, '_').slice(0, 100)}-${process.pid}`)
    if (!this.temporaries.has(path)) removeOrphanedFolders(join(this.folder, 'tmp'))
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.temporaries.add(path)
    return path
  }

  /**
   * bubblewrap's arguments for commands with this policy and environment. Throws, with an actionable message, when it
   * cannot protect what it should.
   */
  arguments(
    policy: SandboxPolicy,
    env: Readonly<Record<string, string>>,
    options: Pick<BubblewrapOptions, 'namespaces' | 'seccompFd'>,
  ): string[] {
    return [...this.fullArguments(this.plan(policy, env), policy, options), ...this.environment(policy, env)]
  }

  /** The same, for a sandbox that is started in a template if possible; then `isAdded` is true. */
  argumentsOn(
    template: MountTemplate | undefined,
    policy: SandboxPolicy,
    env: Readonly<Record<string, string>>,
    seccompFd: number,
  ): { args: string[]; isAdded: boolean } {
    const mounts = this.plan(policy, env)
    const added = template && mountsOnTemplate(mounts, template)
    const args = added
      ? addedArguments(added, seccompFd)
      : this.fullArguments(mounts, policy, { namespaces: 'shared', seccompFd })
    return { args: [...args, ...this.environment(policy, env)], isAdded: added !== undefined }
  }

  /** A template with the mounts of the last sandbox with this policy, and bubblewrap's arguments for it. */
  templateFor(
    policy: SandboxPolicy,
    env: Readonly<Record<string, string>>,
  ): { args: string[]; template: MountTemplate } {
    const mounts = this.plans.get(filesKey(policy))?.mounts ?? this.plan(policy, env)
    const template = templateOf(mounts)
    return { args: this.fullArguments(mounts, policy, { namespaces: 'shared' }), template }
  }

  /** Plans the mounts and creates the placeholders. */
  private plan(policy: SandboxPolicy, env: Readonly<Record<string, string>>): readonly Mount[] {
    const roots = [policy.root, ...policy.folders]
    for (const root of roots) loadGuards(root, this.guardsFile(root))
    const plan = mountPlan(policy, env['PATH'])
    for (const root of roots) saveGuards(root, this.guardsFile(root))
    if (plan.problem !== undefined) throw new Error(plan.problem)
    this.plans.set(filesKey(policy), plan)
    if (plan.isIncomplete) this.incomplete.add(filesKey(policy))
    else this.incomplete.delete(filesKey(policy))
    this.placeholders.make(plan.placeholders, plan.files, this)
    return plan.mounts
  }

  private fullArguments(
    mounts: readonly Mount[],
    policy: SandboxPolicy,
    options: Pick<BubblewrapOptions, 'namespaces' | 'seccompFd'>,
  ): string[] {
    return sandboxArguments(mounts, {
      ...options,
      emptyFile: this.emptyFile,
      temporary: this.temporary(policy.scope),
      textFile: (text) => this.keep(`text-${hashOf(Buffer.from(text))}`, Buffer.from(text)),
    })
  }

  private environment(policy: SandboxPolicy, env: Readonly<Record<string, string>>): string[] {
    const own = sandboxEnvironment(env, policy, this.socat)
    return ['--clearenv', ...Object.entries(own).flatMap(([name, value]) => ['--setenv', name, value])]
  }

  /** Whether secrets deep in the folders of this policy might not be hidden, as of the last sandbox made for it. */
  isIncomplete(policy: SandboxPolicy): boolean {
    return this.incomplete.has(filesKey(policy))
  }

  /**
   * Compares a sandbox's actual mounts (from /proc) with what this policy requires now, since the project may have
   * changed while the sandbox was created. Returns the problem as a sentence, or undefined.
   */
  problemOf(policy: SandboxPolicy, env: Readonly<Record<string, string>>, mountinfo: () => string): string | undefined {
    const before = mountinfo()
    // Commands cannot change system folders, so those are not checked again.
    const { mounts, problem } = mountPlan(policy, env['PATH'], this.plans.get(filesKey(policy))?.base)
    if (problem !== undefined) return problem
    const path =
      findMountMismatch(mountinfo(), mounts, () => readFileSync('/proc/self/mountinfo', 'utf8')) ??
      (before === mountinfo() ? undefined : policy.root)
    return path === undefined
      ? undefined
      : `${path} changed while the sandbox was being set up, so the command was not run. Try again.`
  }

  /** Creates a folder with these arguments for bubblewrap. */
  group(args: readonly string[]): string {
    const folder = mkdtempSync(join(this.folder, 'group-'))
    writeArguments(folder, args)
    return folder
  }

  /**
   * Call it when no sandbox made from these files needs its placeholders any longer. Those that other sandboxes of this
   * process need are kept.
   */
  removePlaceholders(): void {
    this.placeholders.remove(this)
  }

  /** Removes what this object created: placeholders, and the /tmp folders of commands. */
  close(): void {
    this.placeholders.remove(this)
    for (const folder of this.temporaries) removeQuietly(folder)
  }

  /** Records what sandboxes of this project guard, for other processes: see `loadGuards`. */
  private guardsFile(root: string): string {
    return join(this.folder, `guards-${hashOf(Buffer.from(root))}.json`)
  }

  private keep(name: string, content: Buffer): string {
    const path = join(this.folder, name)
    if (this.known.has(name) && existsSync(path)) return path
    // Only Trestle writes here, but the files of a sandbox are verified anyway.
    if (content.length > 0 && existsSync(path) && !content.equals(readFileSync(path))) rmSync(path)
    if (!existsSync(path)) writeFileSync(path, content, { mode: 0o400 })
    this.known.add(name)
    return path
  }
}

/** Writes the arguments in the format of `--args`. */
export function writeArguments(folder: string, args: readonly string[]): void {
  writeFileSync(join(folder, 'arguments'), args.map((arg) => `${arg}\0`).join(''), { mode: 0o600 })
}

/** Removes the folders of processes that have exited. */
function removeOrphanedFolders(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const pid = /-(\d+)$/.exec(name)?.[1]
    if (pid === undefined || !isRunning(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
