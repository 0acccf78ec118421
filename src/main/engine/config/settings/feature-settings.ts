import { flag, settingTable, type ValuesOf } from './setting-table'

/** `[features]`: what the user turned on. */
export const FEATURE_TABLE = settingTable('features', {
  memory: flag('memory', false, 'remembers facts across sessions'),
  scheduling: flag('scheduling', false, 'runs prompts at set times'),
  mail: flag('mail', false, 'searches, reads, drafts and sends mail'),
  location: flag('location', false, 'estimates where you are from your IP address; each use asks'),
})
export type FeatureSettings = ValuesOf<typeof FEATURE_TABLE.fields>
