import { flag, number, settingTable, type ValuesOf } from './setting-table'

/** `[engine]`: the engine of the home while the desktop app is closed. */
export const ENGINE = settingTable('engine', {
  idleMs: number(
    'idle_minutes',
    600_000,
    { min: 0, max: 525_600, whole: false, scale: 60_000 },
    'minutes after which `trestle engine` exits when no turn or background task runs and no client is connected',
  ),
  shared: flag(
    'shared',
    false,
    '`trestle chat`, `acp` and `serve` start `trestle engine` when none runs, so that what they begin continues after they end',
  ),
})
export type EngineSettings = ValuesOf<typeof ENGINE.fields>
