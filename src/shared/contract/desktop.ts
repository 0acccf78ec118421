import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { THEMES, type DesktopView } from '../model/desktop'

/** What only the desktop app can do. Every other host answers with `null` or `false`, and changes nothing. */
export const desktopContract = {
  view: oc.output(type<DesktopView | null>()),
  /** Menus, dialogs and the window's background follow the page. */
  setTheme: oc.input(z.strictObject({ theme: z.enum(THEMES) })).output(type<boolean>()),
  /** Applies at the next start. */
  setAcceleratedGraphics: oc.input(z.strictObject({ enabled: z.boolean() })).output(type<DesktopView | null>()),
  /** Opens a window at one of the page's own addresses, e.g. `/s/<session>`. From the quick prompt, the main window shows it and the prompt closes. */
  openWindow: oc.input(z.strictObject({ path: z.string().max(5000) })).output(type<boolean>()),
  /** Has every interrupted session continue, or forgets that they were interrupted. Answers how many continue. */
  resumeInterrupted: oc.input(z.strictObject({ resume: z.boolean() })).output(type<number>()),
}
