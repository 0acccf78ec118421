/** The built-in tools as a person reads about them in the settings; the model reads the `.md` beside each. */
export const TOOL_LIST: readonly { name: string; description: string }[] = [
  { name: 'Read', description: 'Reads text files, a part at a time' },
  { name: 'Write', description: 'Creates files or replaces their content' },
  { name: 'Edit', description: 'Replaces an exact piece of a file' },
  { name: 'Patch', description: 'Makes several exact replacements in a file, all or none' },
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
  { name: 'TodoList', description: 'Keeps the list of steps you see beside the conversation' },
]
