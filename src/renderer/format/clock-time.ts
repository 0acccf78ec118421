/** The time of day as people write it where they are: `9:00 AM`, `09:00`. */
export function clockTime(at: number | Date): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' })
}
