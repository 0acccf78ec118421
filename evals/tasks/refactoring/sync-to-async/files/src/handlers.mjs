import { isAllowed } from './access.mjs'
import { loadUser } from './store.mjs'

export function show(id) {
  if (!isAllowed(id)) return 'denied'
  return `Hello ${loadUser(id).name}`
}

export function allowedOf(ids) {
  return ids.filter((id) => isAllowed(id))
}
