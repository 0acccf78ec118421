import { custom, flag, settingTable } from './setting-table'

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
