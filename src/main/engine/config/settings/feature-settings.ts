import { flag, settingTable, type ValuesOf } from './setting-table'

/** `[features]`: what the user turned on. */
export const FEATURE_TABLE = settingTable('features', {
  memory: flag('memory', false, 'remembers facts across sessions'),
})
export type FeatureSettings = ValuesOf<typeof FEATURE_TABLE.fields>
