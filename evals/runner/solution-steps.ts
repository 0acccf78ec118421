import type { ScriptedCall, ScriptStep } from '../../test/support/model-script'

/** One step with these calls. */
export function calls(...toolCalls: ScriptedCall[]): ScriptStep {
  return { toolCalls }
}

/** One step that calls one tool. */
export function call(name: string, input: Record<string, unknown>): ScriptStep {
  return calls({ name, input })
}

/** One step that reads these files. */
export function read(...paths: string[]): ScriptStep {
  return calls(...paths.map((path) => ({ name: 'Read', input: { path } })))
}

/** One step that replaces text; the files have to be read before. */
export function edit(...edits: [path: string, from: string, to: string][]): ScriptStep {
  return calls(
    ...edits.map(([path, old_string, new_string]) => ({ name: 'Edit', input: { path, old_string, new_string } })),
  )
}

export function write(path: string, content: string): ScriptStep {
  return call('Write', { path, content })
}

export function bash(command: string, more: Record<string, unknown> = {}): ScriptStep {
  return call('Bash', { command, description: 'Run a command', ...more })
}

/** The last step of a prompt. */
export function say(text: string): ScriptStep {
  return { text }
}
