import type { Engine } from '../engine/engine-api'
import type { Task } from '../../shared/model/task/task'
import { oneLine } from './output'
import { type ErrorCode, type Failure, failureOf, failureText } from '../../shared/errors'
import { UsageError } from './parse-command'

/** Prints startup notices and problems in config.toml to stderr; the program continues with defaults. */
export function reportStart({ notices, problems }: Pick<Engine, 'notices' | 'problems'>): void {
  for (const notice of notices) process.stderr.write(`trestle: ${notice}\n`)
  for (const { file, line, column, message } of problems()) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    process.stderr.write(`trestle: ${place}: ${message}\n`)
  }
}

/** Maximum tasks listed by name. */
const MAX_NAMED = 5

/** Prints to stderr which background tasks keep running when the program exits, and how to stop them. */
export function reportBackground(
  { tasks }: { tasks: Pick<Engine['tasks'], 'onExit'> },
  running: readonly Task[],
): void {
  if (running.length === 0) return
  const names = running
    .slice(0, MAX_NAMED)
    .map(({ taskId, description, command }) => `${taskId} (${oneLine(description ?? command)})`)
  if (running.length > MAX_NAMED) names.push(`${running.length - MAX_NAMED} more`)
  const what = running.length === 1 ? 'background task' : 'background tasks'
  process.stderr.write(
    tasks.onExit() === 'stop'
      ? `trestle: stopping ${running.length} ${what}, as [tasks] on_exit says: ${names.join(', ')}\n`
      : `trestle: ${running.length} ${what} ${running.length === 1 ? 'runs' : 'run'} on: ${names.join(', ')}. ` +
          'See them with "trestle task list", stop one with "trestle task stop ID".\n',
  )
}

/** Advice for failures in a terminal, which has no Settings page: the commands that help. */
const TERMINAL_ADVICE: Partial<Record<ErrorCode, string>> = {
  'model.not_configured':
    'Connect a provider with: trestle provider add NAME. ' +
    'Choose a model with: trestle model default PROVIDER/MODEL. Or try --model demo/scripted.',
  'model.not_found':
    'List the models with: trestle model list. Choose one with --model, or with: trestle model default PROVIDER/MODEL.',
  'model.auth':
    'Check the key with: trestle provider test NAME. Store another one with: trestle provider add NAME --replace.',
  'model.connection': 'Check the network, and the provider with: trestle provider test NAME.',
  'session.not_found': 'List the sessions with: trestle session list --all.',
  'terminal.not_found': 'Open a new terminal.',
  'task.not_found': 'List the tasks with: trestle task list --all.',
  'store.unreadable': 'Bring back what can be read with: trestle session recover.',
  'hook.blocked': 'Rephrase the prompt, or check the hooks in config.toml.',
}

/** The same failure with advice for terminal users. */
export function inTerminal(failure: Failure): Failure {
  return { ...failure, advice: TERMINAL_ADVICE[failure.code] ?? failure.advice }
}

/** A failure as text for stderr: what went wrong, and what to do about it. */
export function terminalFailure(failure: Failure): string {
  const shown = inTerminal(failure)
  return `trestle: ${failureText(shown)}\n${shown.advice}\n`
}

/**
 * A failure as one line of JSON: `{"error": {"code", "title", "message", "advice"}}`. The code of wrong usage is
 * `usage`.
 */
export function errorAsJson(error: unknown): string {
  if (error instanceof UsageError) {
    const advice = `See trestle ${error.command === undefined ? '' : `${error.command} `}--help.`
    return `${JSON.stringify({ error: { code: 'usage', title: 'Wrong usage', message: error.message, advice } })}\n`
  }
  const { code, title, message, advice } = inTerminal(failureOf(error))
  return `${JSON.stringify({ error: { code, title, message, advice } })}\n`
}
