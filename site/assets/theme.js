// Chooses light or dark before the page is painted: as the button was last set, else as the system is.
(() => {
  const read = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // Storage may be forbidden, as for some pages that are opened as files.
    }
  };
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
  };
  apply(read());
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const { theme } = document.documentElement.dataset;
      const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      apply(isDark ? "light" : "dark");
      try {
        localStorage.setItem("theme", isDark ? "light" : "dark");
      } catch {
        // It lasts for this page then.
      }
    });
  });
})();
