import type { Policy } from '../rules/policy'

/** Tools whose every call the user sees first, with the reason. */
const ASKS: Readonly<Record<string, string>> = {
  GetLocation: 'Your IP address and where it is are personal.',
  OpenURL: 'It opens on your screen, and an address can carry text to its server.',
  CreateCalendarEvent: 'Check the event before it goes to your calendar.',
}
/** Tools that only tell the user something. */
const TELLS = new Set(['SendNotification', 'SetAlarm'])

/** No mode, rule or earlier answer covers these. */
export const askAlways: Policy = ({ tool }) => {
  const reason = tool.server ? undefined : ASKS[tool.name]
  return reason === undefined ? undefined : { decision: 'ask', reason, everyTime: true }
}

/** A notification or an alarm is for the user alone, who can clear or cancel it. */
export const tellFreely: Policy = ({ tool }) =>
  !tool.server && TELLS.has(tool.name)
    ? { decision: 'allow', reason: 'It only tells you something, and you can clear or cancel it.' }
    : undefined
