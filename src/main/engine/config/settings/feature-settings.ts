import { custom, flag, number, settingTable, type ValuesOf } from '../toml/setting-table'

/** `[titles]`: how new sessions get their titles. */
export const TITLES = settingTable('titles', {
  enabled: flag('enabled', true, 'have a model name new sessions; otherwise they are named after their first message'),
  model: custom<string | undefined>(
    'model',
    undefined,
    'the model that names them',
    (reader) => reader.string('model'),
    '`small_model`',
  ),
})

/** `[features]`: features that the user turned on. */
export const FEATURE_TABLE = settingTable('features', {
  memory: flag('memory', false, 'remembers facts across sessions'),
  scheduling: flag('scheduling', false, 'runs prompts at set times'),
  mail: flag('mail', false, 'searches, reads, drafts and sends mail'),
  location: flag('location', false, 'estimates where you are from your IP address; each use asks'),
})

/** `[memory]`: how much of a request memory can use. */
export const MEMORY_TABLE = settingTable('memory', {
  budgetBytes: number(
    'budget_bytes',
    2048,
    { min: 0, max: 16_384 },
    'the most that remembered entries take of a conversation, in bytes; ' +
      '0: nothing is sent, and the agent only searches',
  ),
})
/** `[location]`: the service that estimates where the user is. */
export const LOCATION_TABLE = settingTable('location', {
  service: custom<string | undefined>(
    'service',
    undefined,
    'the address of a service that answers where the IP address of a request is, as JSON, e.g. ' +
      '"https://ipinfo.io/json"; without it GetLocation says that none is configured',
    (reader) =>
      reader.string('service', {
        test: (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
        must: 'an address like "https://host/json"',
      }),
  ),
})
export type LocationSettings = ValuesOf<typeof LOCATION_TABLE.fields>
export type MemorySettings = ValuesOf<typeof MEMORY_TABLE.fields>
export type FeatureSettings = ValuesOf<typeof FEATURE_TABLE.fields>
