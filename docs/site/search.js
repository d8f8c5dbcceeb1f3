// Search: every section of the documents and every name of the C library, as `sections` lists them
// ([page, heading, address, text]); sections with all words are shown, those with them in the heading
// first, of such those of documents before names of the library.
(function () {
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  const up = document.body.dataset.up;
  field.hidden = false;

  function rank(section, words) {
    const heading = (section[1] + " " + section[0]).toLowerCase();
    const text = section[3].toLowerCase();
    let points = section[2].startsWith("api/") ? 0.5 : 2;
    for (const word of words) {
      if (heading.includes(word)) points += section[1].toLowerCase() === word ? 9 : 3;
      else if (text.includes(word)) points += 1;
      else return 0;
    }
    return points;
  }

  function excerpt(text, word) {
    const at = text.toLowerCase().indexOf(word);
    const begin = at < 50 ? 0 : text.indexOf(" ", at - 40) + 1;
    return (begin ? "… " : "") + text.slice(begin, begin + 110) + (text.length > begin + 110 ? " …" : "");
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = !words.length || field.value.length < 2 ? [] : sections
      .map((section) => [rank(section, words), section])
      .filter((hit) => hit[0])
      .sort((a, b) => b[0] - a[0]);
    found.replaceChildren(...hits.slice(0, 25).map(([, section]) => {
      const row = document.createElement("li");
      const link = document.createElement("a");
      const text = document.createElement("small");
      link.href = up + section[2];
      link.textContent = section[1] === section[0] ? section[0] : section[0] + ": " + section[1];
      text.textContent = excerpt(section[3], words[0]);
      row.append(link, text);
      return row;
    }));
    if (words.length && field.value.length > 1 && !hits.length) found.textContent = "Nothing has all these words.";
  }

  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && found.querySelector("a")) found.querySelector("a").click();
    if (event.key === "Escape") {
      field.value = "";
      show();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea")) return;
    event.preventDefault();
    field.focus();
  });
})();
