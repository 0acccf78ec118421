import type { JudgedCall, Policy } from '../rules/policy'

/** Tools that put text into the memory, which later sessions read. */
const REMEMBERS = new Set(['MemoryStore', 'MemoryLearn'])
/** The others that change it; what they do can be undone on the Memory page. */
const CHANGES = new Set(['MemoryForget', 'MemoryReinforce'])

const isOwn = ({ tool }: JudgedCall, names: ReadonlySet<string>): boolean => !tool.server && names.has(tool.name)

/**
 * After a page, mail or a server's result was read, what is remembered asks every time, in every mode: that text may
 * ask to be remembered, and every later session would read it. No rule covers it.
 */
export const rememberThirdParty: Policy = (judged) =>
  isOwn(judged, REMEMBERS) && judged.hasReadThirdParty?.()
    ? {
        decision: 'ask',
        reason:
          'This conversation contains text from the web, mail or a server, and later sessions will read what is remembered.',
        everyTime: true,
      }
    : undefined

/** Tools that decide what later runs of the agent do. */
const SCHEDULES = new Set(['ScheduleCreate', 'ScheduleUpdate'])

/** In the same way, what a run is told asks after text of third parties was read. */
export const scheduleThirdParty: Policy = (judged) =>
  isOwn(judged, SCHEDULES) && judged.hasReadThirdParty?.()
    ? {
        decision: 'ask',
        reason:
          'This conversation contains text from the web, mail or a server, and later runs will do what the schedule says.',
        everyTime: true,
      }
    : undefined

/**
 * What comes from the user and the project is remembered without asking: it is shown in the conversation and on the
 * Memory page, where it can be undone.
 */
export const rememberFreely: Policy = (judged) =>
  isOwn(judged, REMEMBERS) || isOwn(judged, CHANGES)
    ? { decision: 'allow', reason: 'It changes only the memory, and you can undo that.' }
    : undefined
