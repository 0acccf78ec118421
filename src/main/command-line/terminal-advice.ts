import type { ErrorCode, Failure } from '../../shared/model/errors'

/** What to do about a failure where there are no Settings to open: the commands that help. */
const IN_A_TERMINAL: Partial<Record<ErrorCode, string>> = {
  'model.not_configured':
    'Connect a provider with: trestle provider add NAME. Choose a model with: trestle model default PROVIDER/MODEL. Or try --model demo/scripted.',
  'model.not_found': 'List the models with: trestle model list. Choose one with --model, or with: trestle model default PROVIDER/MODEL.',
  'model.auth': 'Check the key with: trestle provider test NAME. Store another one with: trestle provider add NAME --replace.',
  'model.connection': 'Check the network, and the provider with: trestle provider test NAME.',
  'session.not_found': 'List the sessions with: trestle session list --all.',
  'task.not_found': 'List the tasks with: trestle task list --all.',
  'store.unreadable': 'Bring back what can be read with: trestle session recover.',
  'hook.blocked': 'Rephrase the prompt, or check the hooks in config.toml.',
}

/** The advice of a failure for someone at a terminal. */
function terminalAdvice({ code, advice }: Pick<Failure, 'code' | 'advice'>): string {
  return IN_A_TERMINAL[code] ?? advice
}

/** What is said on stderr of a failure: what went wrong, and what to do about it. */
export function terminalFailure(failure: Failure): string {
  const { title, message } = failure
  return `trestle: ${title}: ${message}\n${terminalAdvice(failure)}\n`
}
