import { loadUser } from './store.mjs'

export function isAllowed(id) {
  const user = loadUser(id)
  return user !== undefined && user.active
}
