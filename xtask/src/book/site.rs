//! A check of the finished site: every link of a page leads to a file, every anchor to a heading.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// The problems of the pages of both books in this folder; rustdoc checks its own pages.
pub fn check(site: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for book in ["en", "zh"] {
        collect(&site.join(book), &mut files)?;
    }
    files.push(site.join("index.html"));
    ensure!(files.len() > 20, "there are no books in {}", site.display());
    let has_rust = site.join("rust").is_dir();
    let mut anchors = BTreeMap::new();
    let mut complaints = BTreeSet::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        for link in links(&text) {
            let folder = file.parent().context("it lies in a folder")?;
            let is_rust = link.contains("../rust/") && !has_rust;
            if !is_rust && !leads_somewhere(site, folder, file, link, &mut anchors) {
                let page = file.strip_prefix(site).unwrap_or(file).display();
                complaints.insert(format!("{page}: {link} leads nowhere"));
            }
        }
    }
    Ok(complaints.into_iter().collect())
}

/// Collects the pages of a book. Pages of mdBook itself are skipped: its script makes their links.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() && name != "files" {
            collect(&path, files)?;
        } else if name.ends_with(".html")
            && !["print.html", "404.html", "toc.html"].contains(&&*name)
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The targets of `href` and `src`, except those on other sites.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let all = ["href=\"", "src=\""]
        .into_iter()
        .flat_map(|name| text.split(name).skip(1));
    let all = all.filter_map(|rest| rest.split('"').next());
    all.filter(|link| {
        !link.contains(':') && !link.starts_with('/') && !link.is_empty() && *link != "#"
    })
}

fn leads_somewhere(
    site: &Path,
    folder: &Path,
    file: &Path,
    link: &str,
    anchors: &mut BTreeMap<PathBuf, BTreeSet<String>>,
) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    let target = if path.is_empty() {
        file.to_owned()
    } else {
        folder.join(path)
    };
    let target = if target.is_dir() {
        target.join("index.html")
    } else {
        target
    };
    let Ok(target) = target.canonicalize() else {
        return false;
    };
    let in_site = site
        .canonicalize()
        .is_ok_and(|site| target.starts_with(site));
    let is_page = target.extension().is_some_and(|ending| ending == "html");
    if anchor.is_empty() || !is_page || path.contains("rust/src/") {
        return in_site;
    }
    let known = anchors
        .entry(target.clone())
        .or_insert_with(|| ids(&target));
    in_site && known.contains(anchor)
}

fn ids(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let ids = text
        .split("id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    ids.map(str::to_owned).collect()
}
