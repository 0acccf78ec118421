import * as api from './index.mjs'

/** Templates name a function of the public API: `{{fmt:1250}}`. */
export function fill(template) {
  return template.replace(/\{\{(\w+):(\d+)\}\}/g, (_all, name, value) => api[name](Number(value)))
}

export const RECEIPT = 'Paid {{fmt:1250}}, thank you.'
