import { RequestError, type SessionConfigOption, type SessionModeState } from '@agentclientprotocol/sdk'
import { SESSION_MODES, type SessionMode } from '../../../../shared/model/approval/approval'
import { effortName, type EffortChoice } from '../../../../shared/model/turn/effort'
import { confinementOf, MODE_NAMES, modeDescription } from '../../../../shared/configuration/sandbox-text'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { defaultEffortName, sessionEffort, type SessionEffort } from '../../../../shared/configuration/session-model'
import type { ClientEngine } from '../../../role/joined/client-engine'

/** Placeholder value while no model is chosen. */
const NO_MODEL = 'none'

type Options = Pick<ClientEngine, 'sessions' | 'plans' | 'settings'>

export function modeOf(header: SessionHeader): SessionMode {
  return header.plan?.active ? 'plan' : header.mode
}

export function modeState(engine: Pick<Options, 'settings'>, header: SessionHeader): SessionModeState {
  return {
    currentModeId: modeOf(header),
    availableModes: SESSION_MODES.map((id) => ({ id, ...describeMode(engine, header, id) })),
  }
}

function describeMode(
  { settings }: Pick<Options, 'settings'>,
  header: SessionHeader,
  mode: SessionMode,
): { name: string; description: string } {
  return {
    name: MODE_NAMES[mode],
    description: modeDescription(mode, confinementOf(header.sandbox, settings.view().sandbox)),
  }
}

/** The options of a session that the client can set: its mode and its model. */
export function configOptions(engine: Pick<Options, 'settings'>, header: SessionHeader): SessionConfigOption[] {
  const { settings } = engine
  const models = settings.models()
  const chosen = header.model ?? settings.view().defaultModel
  const options = models.map(({ id, label, scripted }) => ({
    value: id,
    name: label,
    description: scripted ? 'Plays a script; no model is used.' : id,
  }))
  if (chosen === undefined)
    options.unshift({
      value: NO_MODEL,
      name: 'No model selected',
      description: 'Choose one, or add one in the settings of Trestle.',
    })
  else if (!models.some(({ id }) => id === chosen))
    options.unshift({ value: chosen, name: chosen, description: 'No longer configured.' })
  const effort = sessionEffort(settings.view(), header)
  return [
    {
      type: 'select',
      id: 'mode',
      category: 'mode',
      name: 'Mode',
      description: 'When the agent asks before it acts.',
      currentValue: modeOf(header),
      options: SESSION_MODES.map((value) => ({ value, ...describeMode(engine, header, value) })),
    },
    { type: 'select', id: 'model', category: 'model', name: 'Model', currentValue: chosen ?? NO_MODEL, options },
    ...(effort.offered.length > 0 ? [effortOption(effort)] : []),
  ]
}

/** The reasoning effort; absent for a model without levels. */
function effortOption(effort: SessionEffort): SessionConfigOption {
  return {
    type: 'select',
    id: 'effort',
    category: 'thought_level',
    name: 'Thinking',
    description: 'How hard the model thinks.',
    currentValue: effort.chosen ?? 'default',
    options: [
      { value: 'default', name: defaultEffortName(effort) },
      ...effort.offered.map((level) => ({ value: level, name: effortName(level, effort.offered) })),
    ],
  }
}

/** Plan mode is separate from the permission modes: choosing one of those ends it. */
export async function chooseMode({ sessions, plans }: Options, sessionId: string, modeId: string): Promise<void> {
  const mode = SESSION_MODES.find((known) => known === modeId)
  if (!mode)
    throw RequestError.invalidParams({ modeId }, `there is no mode ${modeId}; there are ${SESSION_MODES.join(', ')}`)
  const header = sessions.header(sessionId)
  if (mode === 'plan') {
    if (!header.plan?.active) await plans.enter(sessionId)
    return
  }
  if (header.plan?.active) await plans.leave(sessionId)
  if (header.mode !== mode) await sessions.change(sessionId, { mode })
}

export async function chooseOption(
  engine: Options,
  sessionId: string,
  configId: string,
  value: string | boolean,
): Promise<void> {
  if (typeof value !== 'string')
    throw RequestError.invalidParams({ configId }, 'the value must be one of those offered')
  if (configId === 'mode') return chooseMode(engine, sessionId, value)
  if (configId === 'effort') {
    const { offered } = sessionEffort(engine.settings.view(), engine.sessions.header(sessionId))
    const choices: readonly EffortChoice[] = ['default', ...offered]
    const effort = choices.find((known) => known === value)
    if (effort === undefined)
      throw RequestError.invalidParams(
        { configId, value },
        `the model does not know this level; it knows ${choices.join(', ')}`,
      )
    await engine.sessions.change(sessionId, { effort })
    return
  }
  if (configId !== 'model')
    throw RequestError.invalidParams({ configId }, `there is no option ${configId}; there are mode, model and effort`)
  const models = engine.settings.models()
  if (!models.some(({ id }) => id === value)) {
    const names = models.map(({ id }) => id).join(', ')
    throw RequestError.invalidParams({ configId, value }, `there is no model ${value}; there are ${names}`)
  }
  await engine.sessions.change(sessionId, { model: value })
}
