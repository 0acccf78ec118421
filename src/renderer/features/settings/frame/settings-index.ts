import { useLayout, type SettingsSection } from '../../../state/page/layout-state'

/** A searchable item of the settings page. */
export interface IndexedSetting {
  section: SettingsSection
  label: string
  /** Synonyms. */
  words: string
  /** The id of the element to show; default: the section. */
  anchor?: string
}

/** Every setting of the page. */
export const SETTINGS_INDEX: readonly IndexedSetting[] = [
  {
    section: 'providers',
    label: 'Providers and API keys',
    words: 'key token account anthropic openai gemini ollama local url',
  },
  { section: 'models', label: 'Models', words: 'default small fallback context window capabilities' },
  { section: 'models', label: 'Usage limits', words: 'budget cost dollars tokens spending', anchor: 'settings-limits' },
  { section: 'mcp', label: 'MCP servers', words: 'tools protocol sign-in oauth import' },
  { section: 'mcp', label: 'Tool search', words: 'threshold tokens many tools' },
  { section: 'mail', label: 'Mail accounts', words: 'imap smtp email inbox' },
  { section: 'skills', label: 'Skills', words: 'instructions slash commands SKILL.md', anchor: 'settings-skills' },
  { section: 'agents', label: 'Agents', words: 'subagents types yaml prompt tools', anchor: 'settings-agents' },
  { section: 'hooks', label: 'Hooks', words: 'commands events block before after', anchor: 'settings-hooks' },
  { section: 'plugins', label: 'Plugins', words: 'extensions install consent' },
  {
    section: 'permissions',
    label: 'Permission rules',
    words: 'allow ask deny always block command tool',
    anchor: 'settings-permissions',
  },
  {
    section: 'permissions',
    label: 'Test a command or path',
    words: 'check explain why verdict',
    anchor: 'settings-rule-test',
  },
  { section: 'sandbox', label: 'Sandbox', words: 'bubblewrap network hosts folders read write isolation' },
  { section: 'worktrees', label: 'Worktrees', words: 'git branch copy setup restore patch remove' },
  {
    section: 'places',
    label: 'Places',
    words: 'remote machine host ssh server slurm cluster job docker podman container connect',
  },
  { section: 'devices', label: 'Devices', words: 'phone pair code tablet second screen revoke certificate network' },
  {
    section: 'general',
    label: 'Default permission mode',
    words: 'ask accept edits auto new sessions',
    anchor: 'settings-mode',
  },
  { section: 'general', label: 'Notifications', words: 'sound alert background', anchor: 'settings-notifications' },
  { section: 'general', label: 'Trusted folders', words: 'trust project configuration', anchor: 'settings-trust' },
  {
    section: 'general',
    label: 'Trusted repositories',
    words: 'trust git hooks filters revoke',
    anchor: 'settings-repositories',
  },
  { section: 'general', label: 'Features', words: 'memory schedules mail location', anchor: 'settings-features' },
  { section: 'general', label: 'Tools', words: 'enable disable web search bash', anchor: 'settings-tools' },
  {
    section: 'general',
    label: 'Engine',
    words: 'background process idle restart stop clients',
    anchor: 'settings-engine',
  },
  { section: 'appearance', label: 'Theme', words: 'dark light system color night', anchor: 'setting-theme' },
  { section: 'appearance', label: 'Accent', words: 'color violet graphite', anchor: 'setting-accent' },
  { section: 'appearance', label: 'Contrast', words: 'high accessibility', anchor: 'setting-contrast' },
  { section: 'appearance', label: 'Density', words: 'compact comfortable spacing', anchor: 'setting-density' },
  { section: 'appearance', label: 'Motion', words: 'animation reduced', anchor: 'setting-motion' },
  {
    section: 'appearance',
    label: 'Text size and fonts',
    words: 'font family zoom code monospace larger',
    anchor: 'settings-appearance',
  },
  {
    section: 'appearance',
    label: 'Language and formats',
    words: 'locale dates numbers translation',
    anchor: 'settings-language',
  },
  {
    section: 'shortcuts',
    label: 'Keyboard shortcuts',
    words: 'keys bindings hotkeys conflicts',
    anchor: 'settings-shortcuts',
  },
  { section: 'desktop', label: 'Desktop app', words: 'tray login quick prompt menu bar window graphics awake' },
  { section: 'diagnostics', label: 'Diagnostics', words: 'doctor checks log errors problems' },
  { section: 'about', label: 'About and updates', words: 'version license home folder backups' },
]

/** The settings that contain every word, sorted by how many of the words start a word of the label. */
export function findSettings(query: string, sections: readonly SettingsSection[]): IndexedSetting[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const score = ({ label }: IndexedSetting): number =>
    words.filter((word) => ` ${label.toLowerCase()}`.includes(` ${word}`)).length
  return SETTINGS_INDEX.filter(
    (setting) =>
      sections.includes(setting.section) &&
      words.every((word) => `${setting.label} ${setting.words} ${setting.section}`.toLowerCase().includes(word)),
  ).toSorted((a, b) => score(b) - score(a))
}

/** Opens the section of a setting, then scrolls to the setting and focuses it once it is on screen. */
export function showSetting({ section, anchor }: Pick<IndexedSetting, 'section' | 'anchor'>): void {
  useLayout.getState().openSettings(section)
  focusSetting({ section, anchor })
}

/** Scrolls to a setting of the current section and focuses it, once it is on screen. */
export function focusSetting({ section, anchor }: Pick<IndexedSetting, 'section' | 'anchor'>): void {
  const isThere = (): boolean => {
    const panel = document.querySelector<HTMLElement>(`[data-settings-panel="${section}"]`)
    const target = anchor === undefined ? panel : document.getElementById(anchor)
    if (!target) return false
    target.scrollIntoView({ block: 'start' })
    const control = target.matches('[id^="setting-"]')
      ? target.querySelector<HTMLElement>('[role=radio][tabindex="0"], button, input, select')
      : undefined
    const focused = control ?? target
    if (!control && !target.hasAttribute('tabindex')) target.tabIndex = -1
    focused.focus({ preventScroll: true })
    return true
  }
  if (isThere()) return
  // Sections appear with their data.
  const observer = new MutationObserver(() => isThere() && observer.disconnect())
  observer.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), 3000)
}
