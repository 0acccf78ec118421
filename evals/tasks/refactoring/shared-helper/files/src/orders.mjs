function slug(text) {
  return text.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}

export function ordersPath(name) {
  return `/orders/${slug(name)}`
}
