/** The time of day in the format of the user's locale: `9:00 AM`, `09:00`. */
export function clockTime(at: number | Date): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' })
}
