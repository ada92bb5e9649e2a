const word = document.getElementById("word");
const fail = (reason) => {
    word.hidden = false;
    word.textContent = `smithereens cannot start: ${reason}. It needs a browser with WebAssembly and WebGL 2.`;
};
const bytes = Uint8Array.from(atob(program), (letter) => letter.charCodeAt(0));
wasm_bindgen({ module_or_path: bytes })
    .then(() => wasm_bindgen.Page.open("studio"))
    .then((page) => {
        window.smithereens = page;
        word.remove();
    })
    .catch((reason) => fail(reason));
