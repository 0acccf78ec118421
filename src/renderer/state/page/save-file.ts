/** Saves a text as a file with the browser, or through the dialog of the desktop app. */
export function saveTextFile({ name, mediaType, text }: { name: string; mediaType: string; text: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

/** Lets the user choose a file and reads it; undefined when none was chosen. */
export function readTextFile(accept: string): Promise<string | undefined> {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept })
  return new Promise((resolve, reject) => {
    input.addEventListener('cancel', () => resolve(undefined))
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) file.text().then(resolve, reject)
      else resolve(undefined)
    })
    input.click()
  })
}
