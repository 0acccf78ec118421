/**
 * Features that are off until the user turns them on, in the order of the settings page. Their tools are offered only
 * while they are on.
 */
export const FEATURES = ['memory', 'scheduling', 'mail', 'location'] as const
export type Feature = (typeof FEATURES)[number]

/** A feature for the settings page. */
export interface FeatureView {
  feature: Feature
  enabled: boolean
  /** What its tools and instructions add to each request while it is on and nothing is stored. */
  tokens: number
}

interface FeatureText {
  label: string
  description: string
  /** The tools that are offered while it is on; they have no separate toggles. */
  tools: readonly string[]
}

/** Descriptions of the features for the user. */
export const FEATURE_TEXT: Readonly<Record<Feature, FeatureText>> = {
  memory: {
    label: 'Memory',
    description: 'Remembers facts and preferences across sessions. You can read, correct and delete everything.',
    tools: ['MemoryStore', 'MemoryForget', 'MemoryLearn', 'MemoryReinforce', 'MemorySearch'],
  },
  scheduling: {
    label: 'Schedules',
    description: 'Runs prompts at set times or at intervals, each in a session of its own.',
    tools: ['ScheduleCreate', 'ScheduleList', 'ScheduleUpdate', 'ScheduleDelete', 'ScheduleRunNow'],
  },
  mail: {
    label: 'Mail',
    description: 'Searches, reads, drafts and sends mail with your accounts. Sending always asks.',
    tools: ['MailSearch', 'MailRead', 'MailDraft', 'MailSend', 'MailMove', 'MailFlag'],
  },
  location: {
    label: 'Location',
    description: 'Estimates where you are from your IP address, with a service of your choice. Each use asks.',
    tools: ['GetLocation'],
  },
}

/** Whether the user has turned the feature on; false while the settings are unknown. */
export function isFeatureOn(settings: { features: readonly FeatureView[] } | undefined, feature: Feature): boolean {
  return settings?.features.some((one) => one.feature === feature && one.enabled) ?? false
}

/** The feature that a tool belongs to; undefined for tools that are always offered. */
export function featureOf(tool: string): Feature | undefined {
  return FEATURES.find((feature) => FEATURE_TEXT[feature].tools.includes(tool))
}
