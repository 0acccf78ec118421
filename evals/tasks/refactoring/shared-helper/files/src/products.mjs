const slug = (text) => text.trim().toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')

export function productsPath(name) {
  return `/products/${slug(name)}`
}
