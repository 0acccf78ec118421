/** The page the browser shows at the end of a sign-in: it can be closed. Everything comes with it, and nothing in it runs. */
export function signInPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} – Trestle</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif; background: #fafaf9; color: #1c1917 }
main { max-width: 30rem; padding: 2rem; text-align: center }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .5rem; overflow-wrap: anywhere }
p { margin: 0; color: #57534e; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { background: #171614; color: #f5f5f4 } p { color: #a8a29e } }
</style>
</head>
<body><main><h1>${escape(title)}</h1><p>${escape(text)}</p></main></body>
</html>
`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
