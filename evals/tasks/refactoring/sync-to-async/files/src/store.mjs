const users = new Map([
  ['ada', { name: 'Ada', active: true }],
  ['bob', { name: 'Bob', active: false }],
])

export function loadUser(id) {
  return users.get(id)
}
