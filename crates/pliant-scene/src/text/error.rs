//! Errors in a scene, with their place.

use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// Longer lines are not drawn in a caret picture: a path of a million points can be on one line.
const LONGEST_DRAWN_LINE: usize = 400;

/// Messages are truncated to this length, since they can quote a word of any length from the file.
const LONGEST_MESSAGE: usize = 1000;

/// Why a scene cannot be used. Prints as one line; as a [`miette::Diagnostic`] it draws a caret picture.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .inner.line_of_text())]
pub struct SceneError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    file: String,
    place: Option<TextPlace>,
    message: String,
    help: Option<String>,
    /// The text, if a picture of the place can be drawn.
    source: Option<NamedSource<Arc<str>>>,
}

#[derive(Clone, Debug)]
struct TextPlace {
    span: Range<usize>,
    line: usize,
    column: usize,
}

impl SceneError {
    /// An error about the file as a whole.
    pub(crate) fn of_file(file: &str, message: impl Into<String>) -> SceneError {
        let mut message = message.into();
        if message.len() > LONGEST_MESSAGE {
            message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
            message.push('…');
        }
        let inner = Inner { file: file.into(), place: None, message, help: None, source: None };
        SceneError { inner: Box::new(inner) }
    }

    /// An error about a part of `text`.
    pub(crate) fn in_text(file: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> SceneError {
        let mut error = SceneError::of_file(file, message);
        let span = whole_characters(text, span);
        let start_of_line = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end_of_line = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
        error.inner.place = Some(TextPlace {
            line: text[..start_of_line].matches('\n').count() + 1,
            column: text[start_of_line..span.start].chars().count() + 1,
            // one line is enough to show where it is
            span: span.start..span.end.min(end_of_line).max(span.start),
        });
        if end_of_line - start_of_line <= LONGEST_DRAWN_LINE {
            error.inner.source = Some(NamedSource::new(file, Arc::from(text)));
        }
        error
    }

    pub(crate) fn with_help(mut self, help: Option<String>) -> SceneError {
        self.inner.help = help.or(self.inner.help);
        self
    }

    /// Put a prefix before the message.
    pub(crate) fn prefixed(mut self, prefix: &str) -> SceneError {
        self.inner.message = format!("{prefix}: {}", self.inner.message);
        self
    }

    /// Name of the scene file.
    pub fn file(&self) -> &str {
        &self.inner.file
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What would be right, if known: the nearest known word, or the expected words.
    pub fn help_text(&self) -> Option<&str> {
        self.inner.help.as_deref()
    }

    /// Byte range in the text, cut at the end of the line.
    pub fn span(&self) -> Option<Range<usize>> {
        self.inner.place.as_ref().map(|place| place.span.clone())
    }

    /// Line number, from 1.
    pub fn line(&self) -> Option<usize> {
        self.inner.place.as_ref().map(|place| place.line)
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> Option<usize> {
        self.inner.place.as_ref().map(|place| place.column)
    }
}

impl Inner {
    fn line_of_text(&self) -> String {
        let mut line = self.file.clone();
        if let Some(place) = &self.place {
            line += &format!(":{}:{}", place.line, place.column);
        }
        line += &format!(": {}", self.message);
        if let Some(help) = &self.help {
            line += &format!(" ({help})");
        }
        line
    }
}

impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.inner.help.as_ref().map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.inner.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.inner.source.as_ref()?;
        let span = self.span()?;
        Some(Box::new(std::iter::once(LabeledSpan::new(Some("here".into()), span.start, span.len()))))
    }
}

/// The span moved to character boundaries within the text.
fn whole_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let end = text.floor_char_boundary(span.end).max(start);
    start..end
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn prints_one_line_with_place_and_help() {
        let text = "a = 1\nµ = oops\n";
        let error = SceneError::in_text("x.toml", text, 11..15, "bad").with_help(Some("good".into()));
        assert_eq!(error.to_string(), "x.toml:2:5: bad (good)");
        assert_eq!(&text[error.span().unwrap()], "oops");
    }

    #[test]
    fn any_span_is_survived() {
        for text in ["", "µ", "a\n", "\n\nµµ"] {
            for start in 0..8 {
                for end in 0..8 {
                    let error = SceneError::in_text("x", text, start..end, "m");
                    assert!(text.get(error.span().unwrap()).is_some());
                }
            }
        }
    }

    #[test]
    fn draws_a_caret_picture() {
        let error = SceneError::in_text("x.toml", "a = 1\nb = oops\n", 10..14, "bad").with_help(Some("good".into()));
        let mut picture = String::new();
        let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none());
        handler.render_report(&mut picture, &error).unwrap();
        for part in ["x.toml:2:5", "b = oops", "help: good"] {
            assert!(picture.contains(part), "{part} is missing in\n{picture}");
        }
    }
}
