import {
  Bot,
  CircleQuestionMark,
  CircleStop,
  ClipboardCheck,
  ClipboardList,
  FileImage,
  FileOutput,
  FilePen,
  FileText,
  FolderOpen,
  FolderSearch,
  Globe,
  LayoutList,
  ListTodo,
  Search,
  Send,
  SquareTerminal,
  Wrench,
  PackageSearch,
  Plug,
  type LucideIcon,
} from 'lucide-react'

const ICONS: Record<string, LucideIcon> = {
  Agent: Bot,
  apply_patch: FilePen,
  AskUserQuestion: CircleQuestionMark,
  Bash: SquareTerminal,
  CreateSubagent: Bot,
  Edit: FilePen,
  EnterPlanMode: ClipboardList,
  ExitPlanMode: ClipboardCheck,
  FetchURL: Globe,
  Glob: FolderSearch,
  Grep: Search,
  ListDirectory: FolderOpen,
  Patch: FilePen,
  Read: FileText,
  ReadMediaFile: FileImage,
  SendDMail: Send,
  TaskList: LayoutList,
  TaskOutput: SquareTerminal,
  TaskStop: CircleStop,
  TodoList: ListTodo,
  tool_search: PackageSearch,
  WebSearch: Globe,
  Write: FileOutput,
}

/** The picture of a tool; a plug for one of an MCP server, a wrench for those it does not know. */
export function ToolIcon({ name }: { name: string }) {
  const Icon = ICONS[name] ?? (name.startsWith('mcp__') ? Plug : Wrench)
  return <Icon aria-hidden className="size-[15px] flex-none stroke-[1.6]" />
}
