import * as amount from '../amount.mjs'
import { fmtDate } from './fmt-date.mjs'

export function summary(day, cents) {
  return `${fmtDate(day)} ${amount.fmt(cents)}`
}
