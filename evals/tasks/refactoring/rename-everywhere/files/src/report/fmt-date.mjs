export function fmtDate(day) {
  return day.toISOString().slice(0, 10)
}
