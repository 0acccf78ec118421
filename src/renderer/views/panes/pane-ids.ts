/** Id of a pane's tab. */
export function tabId(key: string): string {
  return `tab-${encodeURIComponent(key)}`
}

/** Id of what the tab shows. */
export function panelId(key: string): string {
  return `panel-${encodeURIComponent(key)}`
}
