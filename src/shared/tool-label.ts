/** The display text of a built-in tool. */
interface BuiltinTool {
  name: string
  /** Its name while a call is pending or running, if the tool's name is not plain English: `Bash` needs none. */
  label?: string
  /** Its name after a successful call. */
  done?: string
  /** For the settings. */
  description: string
}

/**
 * The built-in tools as described to the user; the `.md` files beside the tools are for the model. Settings, rules and
 * agent files use the name of the entry.
 */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  { name: 'Read', description: 'Reads text files, a part at a time' },
  { name: 'Write', description: 'Creates files or replaces their content' },
  { name: 'Edit', description: 'Replaces an exact piece of a file' },
  { name: 'Patch', description: 'Makes several exact replacements in a file, all or none' },
  {
    name: 'apply_patch',
    label: 'Apply patch',
    done: 'Patch',
    description: 'Changes several files with one patch; GPT models have it instead of Edit and Patch',
  },
  { name: 'ListDirectory', label: 'List folder', done: 'Listed folder', description: 'Lists what is in a folder' },
  { name: 'Grep', description: 'Searches the contents of files' },
  { name: 'Glob', description: 'Finds files by name' },
  {
    name: 'ReadMediaFile',
    label: 'View image',
    done: 'Viewed image',
    description: 'Shows images to models that support them',
  },
  { name: 'Bash', description: 'Runs a command in a terminal' },
  {
    name: 'TaskList',
    label: 'List tasks',
    done: 'Listed tasks',
    description: 'Lists the background tasks of the session',
  },
  {
    name: 'TaskOutput',
    label: 'Check task',
    done: 'Checked task',
    description: 'Shows the output of a background task',
  },
  { name: 'TaskStop', label: 'Stop task', done: 'Stopped task', description: 'Stops a background task' },
  { name: 'FetchURL', label: 'Fetch page', done: 'Read page', description: 'Reads web pages' },
  {
    name: 'WebSearch',
    label: 'Search the web',
    done: 'Searched the web',
    description: 'Searches the web, where a search provider is configured',
  },
  { name: 'Skill', description: 'Loads the instructions of a skill' },
  {
    name: 'EnterPlanMode',
    label: 'Plan mode',
    done: 'Started planning',
    description: 'Starts plan mode: nothing but the plan can change until you approve it',
  },
  { name: 'ExitPlanMode', label: 'Plan', done: 'Planned', description: 'Asks you to approve the plan' },
  {
    name: 'AskUserQuestion',
    label: 'Question',
    done: 'Asked you',
    description: 'Asks you multiple-choice questions',
  },
  { name: 'Agent', description: 'Gives part of the work to a subagent' },
  {
    name: 'CreateSubagent',
    label: 'Define subagent',
    done: 'Defined subagent',
    description: 'Defines a subagent type for this session',
  },
  {
    name: 'SendDMail',
    label: 'Go back',
    done: 'Went back',
    description:
      'Returns the agent to an earlier step of its turn, with a message to itself; you can undo it. ' +
      'Needs [checkpoints] d_mail = true',
  },
  {
    name: 'tool_search',
    label: 'Find tools',
    done: 'Found tools',
    description: 'Finds and loads MCP tools while tool search is on',
  },
  {
    name: 'TodoList',
    label: 'To-dos',
    done: 'Updated to-dos',
    description: 'Keeps the list of steps you see beside the conversation',
  },
  {
    name: 'CreateCalendarEvent',
    label: 'Calendar event',
    done: 'Created event',
    description: 'Creates a calendar event as an .ics file, after showing it to you',
  },
  {
    name: 'GetLocalTime',
    label: 'Local time',
    done: 'Checked the time',
    description: 'Tells the date, time, time zone and week',
  },
  {
    name: 'GetLocation',
    label: 'Location',
    done: 'Looked up location',
    description: 'Estimates where you are from your IP address',
  },
  { name: 'MailDraft', label: 'Draft mail', done: 'Drafted mail', description: 'Saves a draft in your mailbox' },
  {
    name: 'MailFlag',
    label: 'Flag mail',
    done: 'Flagged mail',
    description: 'Marks messages as read, unread or flagged',
  },
  { name: 'MailMove', label: 'Move mail', done: 'Moved mail', description: 'Moves messages to another folder' },
  { name: 'MailRead', label: 'Read mail', done: 'Read mail', description: 'Reads a message' },
  { name: 'MailSearch', label: 'Search mail', done: 'Searched mail', description: 'Searches your mailboxes' },
  { name: 'MailSend', label: 'Send mail', done: 'Sent mail', description: 'Sends a message, after showing it to you' },
  { name: 'MemoryForget', label: 'Forget', done: 'Forgot', description: 'Deletes a memory' },
  {
    name: 'MemoryLearn',
    label: 'Learn',
    done: 'Learned',
    description: 'Remembers something learned, under a category',
  },
  {
    name: 'MemoryReinforce',
    label: 'Reinforce memory',
    done: 'Reinforced memory',
    description: 'Marks a memory as useful',
  },
  { name: 'MemorySearch', label: 'Search memory', done: 'Searched memory', description: 'Searches memory' },
  { name: 'MemoryStore', label: 'Remember', done: 'Remembered', description: 'Remembers a fact under a key' },
  {
    name: 'OpenURL',
    label: 'Open link',
    done: 'Link',
    description: 'Opens a web page or a file of the project',
  },
  { name: 'ScheduleCreate', label: 'Create schedule', done: 'Created schedule', description: 'Creates a schedule' },
  { name: 'ScheduleDelete', label: 'Delete schedule', done: 'Deleted schedule', description: 'Deletes a schedule' },
  {
    name: 'ScheduleList',
    label: 'List schedules',
    done: 'Listed schedules',
    description: 'Lists the schedules with their next and last runs',
  },
  {
    name: 'ScheduleRunNow',
    label: 'Run schedule',
    done: 'Started schedule',
    description: 'Starts a run of a schedule now',
  },
  {
    name: 'ScheduleUpdate',
    label: 'Change schedule',
    done: 'Changed schedule',
    description: 'Changes, pauses or resumes a schedule',
  },
  { name: 'SendNotification', label: 'Notify', done: 'Notified you', description: 'Shows you a notification' },
  { name: 'SetAlarm', label: 'Alarm', done: 'Set alarm', description: 'Sets an alarm or a countdown' },
]

const BY_NAME: ReadonlyMap<string, BuiltinTool> = new Map(BUILTIN_TOOLS.map((tool) => [tool.name, tool]))

/**
 * The display name of a tool: `tracker · create_issue` for `mcp__tracker__create_issue`, `List folder` for
 * `ListDirectory`.
 */
export function toolLabel(name: string): string {
  // A server's part of a name never has two underscores in a row (engine/mcp/hub/session-tools.ts).
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return `${server} · ${tool}`
  return BY_NAME.get(name)?.label ?? name
}

/** The name of a successful call: `Planned`, `Updated to-dos`. */
export function doneLabel(name: string): string {
  return BY_NAME.get(name)?.done ?? toolLabel(name)
}

/** Longer values are formatted on several lines. */
const ONE_LINE = 80

/** A tool argument for display: text unchanged, anything else as JSON, on one line if it is short. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value) ?? ''
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2)
}
