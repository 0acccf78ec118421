import { realpathSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import type { EngineStatus } from '../../../shared/model/app/engine'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import { resolveHome } from '../../engine/config/home'
import { homeKey, parseSupervisorTag, SUPERVISOR_VARIABLE } from '../../engine/process/process-tag'
import { attachEngine, findEngine } from '../../role/attach'
import { differentInEngine, variableNames } from '../../role/environment-check'
import { connectWire } from '../../wire/wire-client'

const ACTIONS = {
  status: { options: ['json'], words: [0, 0], takes: 'no arguments' },
  stop: { options: ['json', 'when-idle'], words: [0, 0], takes: 'no arguments', humanOnly: true },
  restart: { options: ['json', 'when-idle'], words: [0, 0], takes: 'no arguments', humanOnly: true },
} satisfies Record<string, ActionSpec>

/** `trestle engine`: runs the engine of the home, or shows or stops the running one. Returns the exit code. */
export async function engineMain(parsed: Parsed, version: string): Promise<number> {
  const home = realpathSync(resolveHome())
  if (parsed.positionals.length === 0) {
    const stray = Object.keys(parsed.values).find((name) => name !== 'help')
    if (stray !== undefined) throw new UsageError(`--${stray} goes with status, stop or restart.`, 'engine')
    // Only its own mark counts: Trestle starts it for a client, so its parent processes are not relevant.
    if (isOfAgent(home)) {
      process.stderr.write(
        'trestle: this is a command of an agent, with which the engine would end. Run it in a terminal of your own.\n',
      )
      return 2
    }
    const { runEngine } = await import('./run-engine')
    return runEngine(home, version)
  }
  const { action } = parseAction<keyof typeof ACTIONS>('engine', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`engine ${action}`))) return 2
  const isJson = parsed.values['json'] === true
  const found = await findEngine({ home, version })
  const wire = found && connectWire(found.socket)
  try {
    const before = await wire?.client.engine.status()
    if (!wire || !before) {
      say(isJson, { state: 'none' }, 'No engine is running. The next client starts one.\n')
      return action === 'status' ? 3 : 0
    }
    if (action === 'status') {
      const different = await differentInEngine(wire.client, found.key)
      say(isJson, { state: 'running', ...before, different }, statusText(before, different))
      return 0
    }
    const isLater = parsed.values['when-idle'] === true
    const restart = action === 'restart'
    const how = isLater ? 'when-idle' : restart ? 'hand-over' : 'now'
    // An engine that ends immediately may close the connection before its answer arrives.
    const after = await wire.client.engine.stop({ how, restart }).catch((error: unknown) => {
      if (isLater || failureOf(error).code !== 'connection.lost') throw error
    })
    const waits = isLater && before.running > 0
    if (!waits) await wire.closed
    // The command ends once the new engine serves clients.
    if (!waits && restart) (await attachEngine({ home, version })).socket.destroy()
    say(isJson, { state: waits ? 'running' : 'stopped', ...(after ?? before) }, endText(action, before, waits))
    return 0
  } finally {
    wire?.close()
  }
}

/** Whether this process has the mark of a command of this home's agents. */
function isOfAgent(home: string): boolean {
  return parseSupervisorTag(process.env[SUPERVISOR_VARIABLE] ?? '')?.home === homeKey(home)
}

function say(isJson: boolean, json: object, text: string): void {
  process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : text)
}

function statusText(status: EngineStatus, different: readonly string[] = []): string {
  const { holder, version, pid, startedAt, clients, running, tasks, whenIdle } = status
  const who = holder === 'desktop' ? 'The desktop app holds the engine' : 'The engine is running'
  const since = new Date(startedAt).toLocaleString('en', { hour12: false })
  const lines = [
    `${who}: Trestle ${version}, process ${pid}, since ${since}.`,
    // This command is one of the clients.
    `${count(Math.max(0, clients - 1), 'client')}, ` +
      `${count(running, 'running turn')}, ${count(tasks, 'background task')}.`,
    ...(different.length > 0
      ? [
          'Its commands see other environment variables than those of this terminal ' +
            `(${variableNames(different)}), so trestle print, chat and acp run in processes of their own here.`,
        ]
      : []),
    ...(whenIdle ? [`It ${whenIdle}s as soon as no turn runs.`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function endText(action: 'stop' | 'restart', { running }: EngineStatus, waits: boolean): string {
  if (waits)
    return `The engine ${action}s when ${count(running, 'running turn')} ${running === 1 ? 'has' : 'have'} ended.\n`
  if (action === 'stop')
    return running === 0 ? 'The engine stopped.\n' : `The engine stopped, with ${count(running, 'running turn')}.\n`
  return running === 0
    ? 'The engine restarted.\n'
    : `The engine restarted; ${count(running, 'running turn')} continue${running === 1 ? 's' : ''} at the next step.\n`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
