import { Dialog } from '../../ui/overlay/dialog'
import { SHORTCUT_COMMANDS, shortcutOf } from '../../../shared/configuration/shortcuts'
import { spokenShortcut } from '../../format/shortcut'
import { useShortcutChoices } from '../../state/page/shortcuts'
import { Kbd } from '../../ui/tooltip'

interface KeyGroup {
  title: string
  rows: [keys: string[], what: string][]
}

/** Keys that cannot be changed. */
const FIXED: KeyGroup[] = [
  {
    title: 'Composer',
    rows: [
      [['Enter'], 'Send; queue while the agent works'],
      [['Shift+Enter'], 'New line'],
      [['Ctrl+S'], 'Send now, before the next step'],
      [['Shift+Tab'], 'Next permission mode'],
      [['Up', 'Down'], 'Earlier prompts'],
      [['@'], 'Mention a file'],
      [['Esc', 'Esc'], 'Stop the running turn'],
    ],
  },
  {
    title: 'Approvals',
    rows: [
      [['1'], 'Allow once'],
      [['2'], 'Allow for this session: choose what'],
      [['3'], 'Allow always: choose what'],
      [['0'], 'Reject'],
      [['Up', 'Down'], 'Previous and next request of the inbox'],
    ],
  },
  {
    title: 'Review',
    rows: [
      [['N', 'P'], 'Next and previous change'],
      [[']', '['], 'Next and previous file'],
      [['V'], 'Mark the file as viewed'],
      [['A', 'Shift+A'], 'Keep the change, the file'],
      [['U', 'Shift+U'], 'Undo the change, the file'],
      [['C'], 'Comment on the change'],
      [['Q'], 'Ask about the change'],
      [['S'], 'Side by side or inline'],
    ],
  },
  {
    title: 'Tasks and terminals',
    rows: [
      [['Up', 'Down'], 'Move in the list'],
      [['Enter'], 'Open the terminal'],
      [['Del'], 'Stop'],
      [['Mod+F'], 'Find in the session or the terminal'],
      [['Esc'], 'Leave the terminal (not sent to the program)'],
      [['Ctrl+['], 'Escape, for the program'],
    ],
  },
  {
    title: 'Files',
    rows: [
      [['Mod+Shift+E'], 'Show the files of the project'],
      [['Mod+F'], 'Find in the file'],
      [['Mod+G'], 'Go to a line'],
      [['Mod+Shift+O'], 'Go to a symbol'],
      [['Mod+S'], 'Save, while editing'],
    ],
  },
  {
    title: 'Session list',
    rows: [
      [['Up', 'Down'], 'Move'],
      [['Left', 'Right'], 'Collapse and expand a project'],
      [['Enter'], 'Open'],
      [['F2'], 'Rename'],
      [['Del'], 'Delete'],
      [['Shift+F10'], 'All actions'],
    ],
  },
]

/** An overview of all keys. */
export function ShortcutsDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" width={680} isText>
      <div className="grid grid-cols-2 gap-x-10 gap-y-5 pb-3 max-mid:grid-cols-1">
        {[...useCommandKeys(), ...FIXED].map(({ title, rows }) => (
          <section key={title}>
            <h3 className="pb-1 text-tiny font-semibold text-ink-3">{title}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={what} className="flex items-center gap-3 border-t border-line py-[5px]">
                  <dt className="min-w-0 flex-1">{what}</dt>
                  <dd className="flex flex-none gap-1">
                    {keys.map((key) => (
                      <span key={key}>
                        <Kbd keys={key} always />
                        <span className="sr-only">{spokenShortcut(key)}</span>
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** The commands that have keys now, by group. */
function useCommandKeys(): KeyGroup[] {
  const { choices, others } = useShortcutChoices()
  const groups = new Map<string, KeyGroup>()
  for (const { id, label, group, keys: usual } of [...SHORTCUT_COMMANDS, ...others]) {
    const keys = shortcutOf(id, choices) ?? (choices[id] === undefined ? usual : undefined)
    if (keys === undefined) continue
    const found = groups.get(group) ?? { title: group, rows: [] }
    found.rows.push([[keys], label])
    groups.set(group, found)
  }
  return [...groups.values()]
}
