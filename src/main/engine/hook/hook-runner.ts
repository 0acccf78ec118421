import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { errorText } from '../../../shared/error-text'
import { lazySchema } from '../../../shared/lazy-schema'
import type { HookEvent, HookRun, HookOutcome } from '../../../shared/configuration/customize/customizations'
import type { Hook } from '../config/agent-settings/hook-settings'
import { SandboxMissing, type ProgramSandboxes } from '../sandbox/program-sandboxes'
import { PLUGIN_ROOT } from '../../../shared/model/app/plugin'
import type { HookEnd } from './hook-process'
import { cutText } from '../../../shared/cut-text'

/** An occasion that hooks can run on. */
export interface HookTrigger {
  event: HookEvent
  sessionId: string
  folder: string
  /** The text that matchers are compared with. */
  subject: string
  /** Event-specific hook input, in addition to the common fields. */
  payload: Record<string, unknown>
}

export interface HookRunnerDeps {
  home: string
  /** The environment of commands, without keys. */
  env(): Record<string, string>
  /** Resolves when the environment is complete. */
  ready?(): Promise<void>
  /** The hooks that currently apply in a folder. */
  hooksOf(folder: string): Promise<readonly Hook[]>
  /** The sandboxes for hooks; absent: nothing is sandboxed. */
  sandboxes?: ProgramSandboxes
  now(): number
}

/** Runs hooks and keeps the latest runs. */
export interface HookRunner {
  /**
   * Runs all matching hooks in parallel; resolves when all have ended, with the answers in configuration order. Rejects
   * if the folder's hooks cannot be read, because what they would forbid must not happen.
   */
  run(occasion: HookTrigger, signal: AbortSignal): Promise<HookAnswer[]>
  /**
   * Runs them one after another, up to the first one that blocks; calls `told` before each for its input. Rejects like
   * `run`.
   */
  runInTurn(
    occasion: Omit<HookTrigger, 'payload'>,
    payload: () => Record<string, unknown>,
    ended: (answer: HookAnswer) => void,
    signal: AbortSignal,
  ): Promise<void>
  /** Runs one hook at the user's request; its answer has no effect. Never rejects. */
  test(hook: Hook, occasion: HookTrigger): Promise<HookRun>
  /** The latest runs, newest first. */
  runs(): HookRun[]
  /** Waits up to `patienceMs` for running hooks, then kills the remaining ones; resolves when none are left. */
  close(patienceMs: number): Promise<void>
}

const MAX_RUNS = 50
/** How often a hook is started that did not run because its sandbox could not be created. */
const MAX_STARTS = 3
/** Maximum characters of a subject that are matched and shown: a prompt can be long. */
const MAX_SUBJECT_CHARS = 10_000
const SHOWN_SUBJECT_CHARS = 200
const ANSWER_BYTES = 64 * 1024
/** The answer can contain a whole file. */
const CONTENT_BYTES = 8 * 1024 * 1024

export function createHookRunner({ home, env, ready, hooksOf, sandboxes, now }: HookRunnerDeps): HookRunner {
  const runs: HookRun[] = []
  const busy = new Set<Promise<unknown>>()
  const closing = new AbortController()

  const matching = async ({ event, folder, subject }: Omit<HookTrigger, 'payload'>): Promise<Hook[]> => {
    const found = (await hooksOf(folder)).filter(
      (hook) => !hook.isOff && hook.event === event && matches(hook, subject),
    )
    // Identical commands are run once.
    return found.filter(
      (hook, index) =>
        found.findIndex(
          (other) =>
            other.command === hook.command && other.sandbox === hook.sandbox && other.pluginRoot === hook.pluginRoot,
        ) === index,
    )
  }

  const runOne = async (hook: Hook, occasion: HookTrigger, signal: AbortSignal): Promise<HookAnswer> =>
    (await runAndRecord(hook, occasion, signal)).answer

  const runAndRecord = async (
    hook: Hook,
    occasion: HookTrigger,
    signal: AbortSignal,
    isTest = false,
  ): Promise<{ answer: HookAnswer; run: HookRun }> => {
    const { event, sessionId, folder, subject, payload } = occasion
    const id = randomBytes(6).toString('hex')
    const run: HookRun = {
      runId: id,
      ...(isTest && { isTest: true as const }),
      event,
      command: hook.command,
      scope: hook.scope,
      ...(hook.plugin !== undefined && { plugin: hook.plugin }),
      subject: cutText(subject, SHOWN_SUBJECT_CHARS),
      sessionId,
      folder,
      startedAt: now(),
      outcome: 'running',
      output: '',
      cutBytes: 0,
    }
    runs.unshift(run)
    if (runs.length > MAX_RUNS) runs.pop()
    const clock = performance.now()
    let answer: HookAnswer
    try {
      await ready?.()
      if (hook.plugin !== undefined && !(await isStillThere(hook, folder)))
        throw new NotToRun(`The plugin ${hook.plugin} was turned off or has changed.`)
      const input = `${JSON.stringify({ hook_event_name: event, session_id: sessionId, cwd: folder, ...payload })}\n`
      let end = await startOnce(hook, occasion, { run, input, signal })
      // It did not run. Another sandbox that was being set up can be the reason, or a file that was just written.
      for (let starts = 1; end.wasKeptOut && starts < MAX_STARTS && !isOver(signal); starts++)
        end = await startOnce(hook, occasion, { run, input, signal })
      answer = hookAnswer(event, end)
      const { output, cutBytes, exitCode } = end
      Object.assign(run, { output, cutBytes, ...(exitCode !== undefined && { exitCode }) })
    } catch (error) {
      // A model can cause some of it on purpose, with input nested too deeply to be written.
      // And a project can require a sandbox that this machine does not have, which must not disable the user's hooks.
      const isGuard = error instanceof SandboxMissing && hook.scope === 'user'
      answer =
        isMeant(error) && !isGuard
          ? { outcome: 'failed', reason: `It could not be run: ${error.message}` }
          : hookAnswer(event, { ...NO_OUTPUT, problem: errorText(error), wasKeptOut: true })
    }
    const { outcome, reason } = answer
    Object.assign(run, {
      outcome,
      durationMs: Math.round(performance.now() - clock),
      ...(reason !== undefined && { reason }),
    })
    return { answer, run }
  }

  /** Starts a hook in its sandbox. Rejects only when it is not meant to run. */
  const startOnce = async (
    { command, sandbox, pluginRoot, timeoutMs }: Hook,
    { event, folder }: HookTrigger,
    { run, input, signal }: { run: HookRun; input: string; signal: AbortSignal },
  ): Promise<HookEnd> => {
    try {
      const { startHook } = await import('./hook-process')
      const policy =
        sandbox &&
        (await sandboxes?.policy({
          root: folder,
          network: 'open',
          scope: `hook-${run.runId}`,
          ...(pluginRoot !== undefined && { own: [pluginRoot] }),
        }))
      run.sandbox = { level: policy?.level ?? 'unrestricted', network: policy?.network ?? 'open' }
      const { ended, gone } = startHook({
        command,
        cwd: folder,
        env: { ...env(), ...(pluginRoot !== undefined && { [PLUGIN_ROOT]: pluginRoot }) },
        home,
        ...(policy && { sandbox: policy }),
        tagId: `hook-${run.runId}`,
        input,
        timeoutMs,
        answerBytes: event === 'beforeWriteFile' ? CONTENT_BYTES : ANSWER_BYTES,
        signal: AbortSignal.any([signal, closing.signal]),
      })
      void track(gone)
      return await ended
    } catch (error) {
      if (isMeant(error)) throw error
      return { ...NO_OUTPUT, problem: errorText(error), wasKeptOut: true }
    }
  }

  /** Whether a plugin's hook still exists: the plugin may have changed while earlier hooks ran. */
  const isStillThere = async ({ pluginRoot, command }: Hook, folder: string): Promise<boolean> =>
    (await hooksOf(folder)).some((other) => other.pluginRoot === pluginRoot && other.command === command)

  function track<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.then(
      () => void busy.delete(settled),
      () => void busy.delete(settled),
    )
    busy.add(settled)
    return work
  }

  const isOver = (signal: AbortSignal): boolean => signal.aborted || closing.signal.aborted

  const allGone = async (): Promise<void> => {
    while (busy.size > 0) await Promise.all(busy)
  }

  return {
    run: (occasion, signal) =>
      track(
        (async () => {
          const hooks = isOver(signal) ? [] : await matching(occasion)
          return Promise.all(hooks.map((hook) => runOne(hook, occasion, signal)))
        })(),
      ),
    runInTurn: (occasion, payload, ended, signal) =>
      track(
        (async () => {
          for (const hook of await matching(occasion)) {
            if (isOver(signal)) return
            const answer = await runOne(hook, { ...occasion, payload: payload() }, signal)
            ended(answer)
            if (answer.outcome === 'blocked') return
          }
        })(),
      ),
    test: (hook, occasion) => track(runAndRecord(hook, occasion, closing.signal, true).then(({ run }) => ({ ...run }))),
    runs: () => runs.map((run) => ({ ...run })),
    async close(patienceMs) {
      const impatient = setTimeout(() => closing.abort(), Math.min(patienceMs, 2 ** 31 - 1))
      await allGone()
      clearTimeout(impatient)
      closing.abort()
    },
  }
}

const NO_OUTPUT = { stdout: '', stdoutCut: false, stderr: '', output: '', cutBytes: 0 }

/** It is not to be run any more. */
class NotToRun extends Error {}

function isMeant(error: unknown): error is Error {
  return error instanceof NotToRun || error instanceof SandboxMissing
}

function matches({ matcher }: Hook, subject: string): boolean {
  return matcher === undefined || matcher === '*' || new RegExp(matcher).test(subject.slice(0, MAX_SUBJECT_CHARS))
}

/** The result of a run. */
export interface HookAnswer {
  outcome: Exclude<HookOutcome, 'running'>
  /** Why it blocked, or what went wrong, as a sentence. */
  reason?: string
  /** The content to write instead. */
  content?: string
}

/** The events that a hook can block. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'UserPromptSubmit',
  'PreToolUse',
  'beforeWriteFile',
  'Stop',
])
const BLOCKING_EXIT_CODE = 2
const DENIES = /"(?:decision|permissionDecision)"\s*:\s*"(?:deny|block)"/
const MAX_REASON_CHARS = 4_000

const Answer = lazySchema(() =>
  z.object({
    decision: z.string().optional(),
    reason: z.string().optional(),
    content: z.string().optional(),
    hookSpecificOutput: z
      .object({ permissionDecision: z.string().optional(), permissionDecisionReason: z.string().optional() })
      .optional(),
  }),
)

/**
 * Reads exit code and answer: exit 2, a JSON answer that denies, or what keeps the hook from being started blocks what
 * can be blocked; whatever else went wrong changes nothing.
 */
export function hookAnswer(event: HookEvent, end: HookEnd): HookAnswer {
  if (end.cut === 'timed_out')
    return { outcome: 'timed_out', reason: 'It took longer than its time limit and was ended.' }
  if (end.cut === 'stopped') return { outcome: 'stopped' }
  // Otherwise a command that keeps moving folders could disable the hook that judges the next command.
  if (end.wasKeptOut && BLOCKABLE.has(event))
    return blocked(event, `A hook could not be run: ${sentence(end.problem)} Correct that, or turn the hook off.`)
  if (end.problem !== undefined) return { outcome: 'failed', reason: end.problem }
  if (end.exitCode === BLOCKING_EXIT_CODE) return blocked(event, end.stderr.trim() || end.stdout.trim())
  if (end.exitCode !== 0) return { outcome: 'failed', reason: `It ended with exit code ${end.exitCode}.` }
  const text = end.stdout.trim()
  // Output other than a JSON object has no effect.
  if (!text.startsWith('{')) return { outcome: 'passed' }
  if (end.stdoutCut) {
    // A hook may repeat what it denies, which a model can make as long as it likes.
    const denies = DENIES.test(text)
    return denies ? blocked(event, 'Its reason is too long.') : { outcome: 'failed', reason: 'Its answer is too long.' }
  }
  const answer = Answer().safeParse(parsed(text)).data
  if (!answer) return { outcome: 'failed', reason: 'Its answer is no JSON that could be understood.' }
  const { decision, reason, content, hookSpecificOutput: specific } = answer
  if (decision === 'deny' || decision === 'block') return blocked(event, reason ?? '')
  if (specific?.permissionDecision === 'deny') return blocked(event, specific.permissionDecisionReason ?? '')
  return event === 'beforeWriteFile' && content !== undefined ? { outcome: 'changed', content } : { outcome: 'passed' }
}

function sentence(text = ''): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function blocked(event: HookEvent, words: string): HookAnswer {
  if (!BLOCKABLE.has(event)) return { outcome: 'failed', reason: `It tried to block, which ${event} does not allow.` }
  const reason = words.length > MAX_REASON_CHARS ? `${cutText(words, MAX_REASON_CHARS)}…` : words
  return { outcome: 'blocked', reason: reason || 'It gave no reason.' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
