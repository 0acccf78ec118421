/** A tool's labels on screen: its name while a call is pending or runs, and what the call did once it is done. */
interface ToolLabels {
  label: string
  done: string
}

/** Built-in tools whose name is not plain English. `Read`, `Bash` and others need no label. */
const LABELS: Readonly<Record<string, ToolLabels>> = {
  apply_patch: { label: 'Patch', done: 'Patch' },
  AskUserQuestion: { label: 'Question', done: 'Asked you' },
  CreateSubagent: { label: 'Define subagent', done: 'Defined subagent' },
  EnterPlanMode: { label: 'Plan mode', done: 'Started planning' },
  ExitPlanMode: { label: 'Plan', done: 'Planned' },
  FetchURL: { label: 'Fetch page', done: 'Read page' },
  ListDirectory: { label: 'List folder', done: 'Listed folder' },
  ReadMediaFile: { label: 'Look at image', done: 'Looked at image' },
  SendDMail: { label: 'Go back', done: 'Went back' },
  TaskList: { label: 'List tasks', done: 'Listed tasks' },
  TaskOutput: { label: 'Check task', done: 'Checked task' },
  TaskStop: { label: 'Stop task', done: 'Stopped task' },
  TodoList: { label: 'To-dos', done: 'Updated to-dos' },
  CreateCalendarEvent: { label: 'Calendar event', done: 'Created event' },
  GetLocalTime: { label: 'Local time', done: 'Looked at the clock' },
  GetLocation: { label: 'Location', done: 'Looked up location' },
  MailDraft: { label: 'Draft mail', done: 'Drafted mail' },
  MailFlag: { label: 'Flag mail', done: 'Flagged mail' },
  MailMove: { label: 'Move mail', done: 'Moved mail' },
  MailRead: { label: 'Read mail', done: 'Read mail' },
  MailSearch: { label: 'Search mail', done: 'Searched mail' },
  MailSend: { label: 'Send mail', done: 'Sent mail' },
  MemoryForget: { label: 'Forget', done: 'Forgot' },
  MemoryLearn: { label: 'Learn', done: 'Learned' },
  MemoryReinforce: { label: 'Reinforce memory', done: 'Reinforced memory' },
  MemorySearch: { label: 'Search memory', done: 'Searched memory' },
  MemoryStore: { label: 'Remember', done: 'Remembered' },
  OpenURL: { label: 'Open link', done: 'Opened link' },
  ScheduleCreate: { label: 'Create schedule', done: 'Created schedule' },
  ScheduleDelete: { label: 'Delete schedule', done: 'Deleted schedule' },
  ScheduleList: { label: 'List schedules', done: 'Listed schedules' },
  ScheduleRunNow: { label: 'Run schedule', done: 'Started schedule' },
  ScheduleUpdate: { label: 'Change schedule', done: 'Changed schedule' },
  SendNotification: { label: 'Notify', done: 'Notified you' },
  SetAlarm: { label: 'Alarm', done: 'Set alarm' },
  tool_search: { label: 'Find tools', done: 'Found tools' },
  WebSearch: { label: 'Search the web', done: 'Searched the web' },
}

/** The display name of a tool: `tracker · create_issue` for `mcp__tracker__create_issue`, `List folder` for `ListDirectory`. */
export function toolLabel(name: string): string {
  // No server's part of a name has two underscores in a row (engine/mcp/hub/session-tools.ts).
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return `${server} · ${tool}`
  return labelsOf(name)?.label ?? name
}

/** What a call that went well is called from then on: `Planned`, `Updated to-dos`. */
export function doneLabel(name: string): string {
  return labelsOf(name)?.done ?? toolLabel(name)
}

function labelsOf(name: string): ToolLabels | undefined {
  return Object.hasOwn(LABELS, name) ? LABELS[name] : undefined
}

/** Longer values are laid out in lines. */
const ONE_LINE = 80

/** A tool argument for display: a text as it is, anything else as JSON, in one line where that is short. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value) ?? ''
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2)
}

/** The built-in tools as a person reads about them in the settings; the model reads the `.md` beside each. */
export const BUILTIN_TOOLS: readonly { name: string; description: string }[] = [
  { name: 'Read', description: 'Reads text files, a part at a time' },
  { name: 'Write', description: 'Creates files or replaces their content' },
  { name: 'Edit', description: 'Replaces an exact piece of a file' },
  { name: 'Patch', description: 'Makes several exact replacements in a file, all or none' },
  {
    name: 'apply_patch',
    description: 'Changes several files by one patch; GPT models have it instead of Edit and Patch',
  },
  { name: 'ListDirectory', description: 'Lists what is in a folder' },
  { name: 'Grep', description: 'Searches the contents of files' },
  { name: 'Glob', description: 'Finds files by name' },
  { name: 'ReadMediaFile', description: 'Shows pictures to models that can see' },
  { name: 'Bash', description: 'Runs a command in a terminal' },
  { name: 'TaskList', description: 'Lists the background tasks of the session' },
  { name: 'TaskOutput', description: 'Shows what a background task has printed' },
  { name: 'TaskStop', description: 'Stops a background task' },
  { name: 'FetchURL', description: 'Reads pages of the web' },
  { name: 'WebSearch', description: 'Searches the web, where a search provider is configured' },
  { name: 'Skill', description: 'Loads the instructions of a skill' },
  { name: 'EnterPlanMode', description: 'Begins to plan: until you approve the plan, nothing else can change' },
  { name: 'ExitPlanMode', description: 'Puts the plan to you, for approval' },
  { name: 'AskUserQuestion', description: 'Asks you questions with answers to choose from' },
  { name: 'Agent', description: 'Gives a part of the work to a subagent' },
  { name: 'CreateSubagent', description: 'Defines a type of subagents for one session' },
  {
    name: 'SendDMail',
    description:
      'Takes the agent back to an earlier step of its turn, with a message to itself; you can take it back. Needs [checkpoints] d_mail = true',
  },
  { name: 'tool_search', description: 'Finds and loads tools of servers, while tool search is on' },
  { name: 'TodoList', description: 'Keeps the list of steps you see beside the conversation' },
  { name: 'CreateCalendarEvent', description: 'Creates a calendar event as an .ics file, after showing it to you' },
  { name: 'GetLocalTime', description: 'Tells the date, time, time zone and week' },
  { name: 'GetLocation', description: 'Estimates where you are from your IP address' },
  { name: 'MailDraft', description: 'Saves a draft in your mailbox' },
  { name: 'MailFlag', description: 'Marks messages as read, unread or flagged' },
  { name: 'MailMove', description: 'Moves messages to another folder' },
  { name: 'MailRead', description: 'Reads a message' },
  { name: 'MailSearch', description: 'Searches your mailboxes' },
  { name: 'MailSend', description: 'Sends a message, after showing it to you' },
  { name: 'MemoryForget', description: 'Deletes a memory' },
  { name: 'MemoryLearn', description: 'Remembers something learned, under a category' },
  { name: 'MemoryReinforce', description: 'Marks a memory as useful' },
  { name: 'MemorySearch', description: 'Searches what is remembered' },
  { name: 'MemoryStore', description: 'Remembers a fact under a key' },
  { name: 'OpenURL', description: 'Opens a web page or a file of the project' },
  { name: 'ScheduleCreate', description: 'Creates a schedule' },
  { name: 'ScheduleDelete', description: 'Deletes a schedule' },
  { name: 'ScheduleList', description: 'Lists the schedules with their next and last runs' },
  { name: 'ScheduleRunNow', description: 'Starts a run of a schedule now' },
  { name: 'ScheduleUpdate', description: 'Changes, pauses or resumes a schedule' },
  { name: 'SendNotification', description: 'Shows you a notification' },
  { name: 'SetAlarm', description: 'Sets an alarm or a countdown' },
]
