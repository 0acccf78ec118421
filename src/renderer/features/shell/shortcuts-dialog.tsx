import { Dialog } from '../../ui/dialog'
import { Kbd } from '../../ui/tooltip'

const SHORTCUTS: { title: string; rows: [keys: string[], what: string][] }[] = [
  {
    title: 'Anywhere',
    rows: [
      [['Mod+K'], 'Command palette'],
      [['Mod+N'], 'New session'],
      [['Mod+,'], 'Settings'],
      [['Mod+U'], 'Inbox: pending requests'],
      [['Mod+B'], 'Tasks: running commands'],
      [['Mod+\\'], 'Show or hide the sidebar'],
      [['Mod+I'], 'Show or hide the inspector'],
      [['Alt+Up', 'Alt+Down'], 'Previous and next session'],
      [['Mod+.'], 'Stop the running turn'],
      [['?'], 'Keyboard shortcuts'],
    ],
  },
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
      [['Left', 'Right'], 'Fold and unfold a project'],
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
        {SHORTCUTS.map(({ title, rows }) => (
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
                        <span className="sr-only">{key}</span>
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
