// The search of a page that is opened as a file. Browsers start no worker from files, so the
// worker's script runs in a hidden frame. Material's own replacement is fetched from the network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.loaded = new Promise(resolve => {
        frame.onload = () => {
          const inner = frame.contentWindow
          inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
          const script = inner.document.createElement("script")
          script.onload = () => resolve(inner)
          script.src = url
          inner.document.body.append(script)
        }
      })
      frame.srcdoc = "<body>"
      document.body.append(frame)
    }
    postMessage(data) {
      this.loaded.then(inner => inner.dispatchEvent(new inner.MessageEvent("message", { data })))
    }
  }
}
